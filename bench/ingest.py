#!/usr/bin/env python3
"""ingest.py HOME --limits DIR [--bin BIN] [--queries FILE] [--runs N]

What a first index of HOME costs, beside what its bare parts cost in the same run: a typed parse and a
tantivy ingest of the same text (two small programs, `scan` and `index`, built in DIR), and zstd level 3.
Prints CPU seconds, the ratio, the peak of private memory, sizes against the corpus, and the latency of
`search` per call over a file of queries, one JSON object with `query` and `hits` a line."""
import argparse, json, os, re, resource, shutil, statistics, subprocess, sys, tempfile, threading, time

A = argparse.ArgumentParser(); A.add_argument('home'); A.add_argument('--limits', required=True)
A.add_argument('--bin', default='target/release/taffrail'); A.add_argument('--queries'); A.add_argument('--runs', type=int, default=1)
A = A.parse_args(); BIN = os.path.abspath(A.bin); W = tempfile.mkdtemp(prefix='taffrail-bench-')
SOURCES = [os.path.join(d, f) for d, _, fs in os.walk(A.home) for f in fs if f.endswith('.jsonl')]
CORPUS = sum(map(os.path.getsize, SOURCES))


def env(data):
    out = {'HOME': os.path.abspath(A.home), 'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8', 'NO_COLOR': '1'}
    for name in ('CONFIG', 'DATA', 'STATE', 'CACHE'):
        out[f'XDG_{name}_HOME'] = f'{data}/{name.lower()}'
    out['XDG_RUNTIME_DIR'] = f'{data}/run'
    return out


def cpu_of(args, **more):
    """CPU seconds of a command, and the peak of its private memory in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN); peak = [0]
    child = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    def watch():
        while child.poll() is None:
            try: peak[0] = max(peak[0], int(re.search(r'RssAnon:\s+(\d+)', open(f'/proc/{child.pid}/status').read())[1]))
            except (OSError, TypeError): pass
            time.sleep(0.02)
    watcher = threading.Thread(target=watch); watcher.start(); out = child.stdout.read(); child.wait(); watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode: sys.exit(f'{args[0]}: exit {child.returncode}: {out[-300:]}')
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak[0] / 1024, out


def size(path): return sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(path) for f in fs) if os.path.isdir(path) else os.path.getsize(path)


def one_run(number):
    scan = cpu_of([f'{A.limits}/scan', A.home, '1'])[2]
    parse = float(re.search(r'message parse.*?cpu\s+([\d.]+)s', scan)[1])
    tantivy = float(re.search(r'ingest wall.*?cpu ([\d.]+)s', cpu_of([f'{A.limits}/index', 'tantivy1', A.home, f'{W}/bare', '16384'])[2])[1])
    shutil.rmtree(f'{W}/bare')
    zstd = sum(cpu_of(['zstd', '-3', '-q', '-c', '--single-thread', '-o', f'{W}/z', '-f', *SOURCES[i:i + 200]])[0] for i in range(0, len(SOURCES), 200))
    data = f'{W}/data{number}'; ours, peak, _ = cpu_of([BIN, 'index'], env=env(data)); bare = parse + tantivy + zstd
    kept = f'{data}/data/taffrail'; index, search, archive = (size(f'{kept}/{it}') / CORPUS for it in ('index.db', 'search', 'archive'))
    print(f'bare: parse {parse:.2f} + tantivy {tantivy:.2f} + zstd {zstd:.2f} = {bare:.1f} CPU-s; ours {ours:.1f}, ratio {ours / bare:.2f}; private memory {peak:.0f} MB; '
          f'index.db {index:.3f} + search {search:.3f} = {index + search:.3f}, archive {archive:.3f} of {CORPUS / 1e6:.0f} MB', flush=True)
    return ours / bare, data


def latency(data):
    taken, wrong = {}, 0
    for line in open(A.queries):
        row = json.loads(line); began = time.perf_counter()
        out = subprocess.run([BIN, 'search', row['query'], '--json'], env=env(data), capture_output=True, text=True)
        taken.setdefault(row['class'], []).append((time.perf_counter() - began) * 1e3)
        wrong += out.returncode != 0 or (row['hits'] is not None and json.loads(out.stdout)['total'] != row['hits'])
    taken['all'] = [it for of in taken.values() for it in of]
    for name, times in taken.items():
        times.sort(); print(f'search {name:10} p50 {statistics.median(times):6.1f} ms  p99 {times[int(len(times) * .99) - (len(times) > 99)]:6.1f} ms  max {times[-1]:6.1f} ms  n={len(times)}')
    print(f'{wrong} answers wrong')


try:
    ratios = [one_run(number) for number in range(A.runs)]
    print(f'median ratio {statistics.median(it[0] for it in ratios):.2f} of {len(ratios)}')
    if A.queries: latency(ratios[-1][1])
finally:
    shutil.rmtree(W, ignore_errors=True)
