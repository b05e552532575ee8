#!/usr/bin/env python3
"""mcp.py HOME [--bin BIN] [--data DIR] [--calls N] [--seed S] [--ways alone,daemon,http]

What a call of each tool of `taffrail mcp` costs on the history in HOME: indexes it if DIR has no index, then makes N calls of each
tool with arguments drawn from the history, and prints the median, the 99th percentile and the longest wall time, and the processor
time a call that server and daemon took together. `alone` starts the server without a daemon, `daemon` beside one, `http` asks the
daemon's own route. Each server is warmed by one call of each tool, whose time is printed as `first`."""
import argparse, http.client, json, os, random, re, subprocess, sys, tempfile, time

A = argparse.ArgumentParser(); A.add_argument('home'); A.add_argument('--bin', default='target/release/taffrail'); A.add_argument('--data')
A.add_argument('--calls', type=int, default=300); A.add_argument('--seed', type=int, default=1); A.add_argument('--ways', default='alone,daemon,http')
A = A.parse_args(); DATA = os.path.abspath(A.data or tempfile.mkdtemp(prefix='taffrail-mcp-')); BIN = os.path.abspath(A.bin); PORT = 4499
ENV = {'HOME': os.path.abspath(A.home), 'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8', 'NO_COLOR': '1', 'XDG_RUNTIME_DIR': f'{DATA}/run'}
ENV |= {f'XDG_{name}_HOME': f'{DATA}/{name.lower()}' for name in ('CONFIG', 'DATA', 'STATE', 'CACHE')}
CHANCE = random.Random(A.seed)


def run(*args):
    done = subprocess.run([BIN, *args], env=ENV, capture_output=True, text=True)
    if done.returncode: sys.exit(f'{args}: exit {done.returncode}: {done.stderr[-300:]}')
    return done.stdout


def message(number, tool, given):
    return {'jsonrpc': '2.0', 'id': number, 'method': 'tools/call', 'params': {'name': tool, 'arguments': given}}


class Stdio:
    """The server that an agent starts."""
    def __init__(self):
        self.process = subprocess.Popen([BIN, 'mcp'], env=ENV, cwd=A.home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, document):
        self.process.stdin.write(json.dumps(document) + '\n'); self.process.stdin.flush(); return json.loads(self.process.stdout.readline())

    def close(self): self.process.stdin.close(); self.process.wait()


class Http:
    """The daemon's own route."""
    def __init__(self):
        self.headers = {'Authorization': 'Bearer ' + run('token', '--show').strip(), 'Content-Type': 'application/json'}
        self.connection = http.client.HTTPConnection('127.0.0.1', PORT)

    def ask(self, document):
        self.connection.request('POST', '/mcp', json.dumps(document), self.headers); return json.loads(self.connection.getresponse().read())

    def close(self): self.connection.close()


def drawn():
    """Arguments for each tool, without end, from what the history holds."""
    ids = [it['id'] for it in json.loads(run('ls', '--json', '--limit', '500'))['sessions']]
    said = [it['snippet'] for query in ('error', 'file', 'test', 'kind:tool.call') for it in json.loads(run('search', query, '--json', '--limit', '200'))['hits']]
    failed = [it['snippet'] for it in json.loads(run('search', 'kind:error', '--json', '--limit', '200'))['hits']] or said
    words = sorted({word for it in said for word in re.findall(r'[A-Za-z]{4,12}', it)}); paths = sorted({it for text in said for it in re.findall(r'[\w.-]+(?:/[\w.-]+)+\.\w+', text)}) or ['src/main.rs']
    def query():
        some = CHANCE.sample(words, CHANCE.randint(1, 3)); shape = CHANCE.random()
        return f'"{some[0]}"' if shape < .1 else some[0][:4] + '*' if shape < .2 else ' '.join(some) + (' since:30d' if shape > .9 else '')
    return {'search': lambda: {'query': query()}, 'show': lambda: {'session': CHANCE.choice(ids)} | ({'turn': '1'} if CHANCE.random() < .3 else {}),
            'sessions': lambda: {'cursor': str(CHANCE.randint(0, 60))}, 'why': lambda: {'session': CHANCE.choice(ids)}, 'changed': lambda: {'path': CHANCE.choice(paths)},
            'errors': lambda: {'text': CHANCE.choice(failed)[:200]}, 'usage': lambda: {'since': CHANCE.choice(('7d', '30d', '365d'))}}


def spent(processes):
    """The processor time of these processes so far, in milliseconds; 0 where the system does not say."""
    total = 0
    for it in filter(None, processes):
        try:
            with open(f'/proc/{it.pid}/stat') as f: total += sum(map(int, f.read().rsplit(')', 1)[1].split()[11:13]))
        except OSError: pass
    return total * 1e3 / os.sysconf('SC_CLK_TCK')


def measure(way, server, tools, daemon):
    processes = [getattr(server, 'process', None), daemon]
    for tool, given in tools.items():
        taken = []; refused = 0; before = spent(processes)
        for number in range(A.calls + 1):
            document = message(number, tool, given()); began = time.perf_counter(); reply = server.ask(document); taken.append((time.perf_counter() - began) * 1e3)
            if 'result' not in reply: sys.exit(f'{tool}: {reply}')
            text = reply['result']['content'][0]['text']; refused += reply['result']['isError']
            if len(text.encode()) > 4096: sys.exit(f'{tool}: an answer of {len(text.encode())} bytes')
        each = (spent(processes) - before) / len(taken); first, rest = taken[0], sorted(taken[1:]); at = lambda share: rest[min(len(rest) - 1, int(len(rest) * share))]
        print(f'{way:7} {tool:9} p50 {at(.5):6.1f} ms  p99 {at(.99):6.1f} ms  longest {rest[-1]:6.1f} ms  first {first:6.1f} ms  processor {each:6.1f} ms{f"  {refused} without an answer" if refused else ""}', flush=True)


os.makedirs(f'{DATA}/run', mode=0o700, exist_ok=True)
if not os.path.exists(f'{DATA}/data/taffrail/index.db'):
    began = time.perf_counter(); run('index'); print(f'index: {time.perf_counter() - began:.1f} s', flush=True)
TOOLS = drawn()
for way in A.ways.split(','):
    daemon = None if way == 'alone' else subprocess.Popen([BIN, 'daemon', 'run', '--http', f'127.0.0.1:{PORT}'], env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while daemon and not (json.loads(run('daemon', 'status', '--json'))['running'] and os.path.exists(f'{DATA}/state/taffrail/token')):
            if daemon.poll() is not None: sys.exit('the daemon ended')
            time.sleep(.1)
        server = Http() if way == 'http' else Stdio(); measure(way, server, TOOLS, daemon); server.close()
    finally:
        if daemon: daemon.terminate(); daemon.wait()
