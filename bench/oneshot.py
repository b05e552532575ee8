#!/usr/bin/env python3
"""oneshot.py HOME [--bin BIN] [--data DIR] [--runs N] [--calls] [QUERY...]

What `search` and `ls` cost in a process of their own, without a daemon, on the history in HOME: indexes it if DIR has no
index, then prints for each command the median and the 90th percentile of the wall time of N runs, the processor time, and the
time of `--version`, which only starts the program. `--calls` counts system calls with strace. QUERY replaces the usual words."""
import argparse, os, resource, statistics, subprocess, sys, tempfile, time

A = argparse.ArgumentParser(); A.add_argument('home'); A.add_argument('query', nargs='*'); A.add_argument('--bin', default='target/release/taffrail')
A.add_argument('--data'); A.add_argument('--runs', type=int, default=21); A.add_argument('--calls', action='store_true')
A = A.parse_args(); DATA = os.path.abspath(A.data or tempfile.mkdtemp(prefix='taffrail-oneshot-')); BIN = os.path.abspath(A.bin)
WORDS = A.query or ['error', 'config server', '"this file"', 'sess*', 'nosuchword']
COMMANDS = [['--version'], *(['search', it] for it in WORDS), ['search', WORDS[0], '--json'], ['ls'], ['ls', '--json']]
ENV = {'HOME': os.path.abspath(A.home), 'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8', 'NO_COLOR': '1', 'XDG_RUNTIME_DIR': f'{DATA}/run'}
ENV |= {f'XDG_{name}_HOME': f'{DATA}/{name.lower()}' for name in ('CONFIG', 'DATA', 'STATE', 'CACHE')}


def run(args):
    """Wall and processor time of a command, in milliseconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([BIN, *args], env=ENV, capture_output=True, text=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode: sys.exit(f'{args}: exit {done.returncode}: {done.stderr[-300:]}')
    return wall * 1e3, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def calls(args):
    """The system calls of a command that look at files, by name."""
    table = f'{DATA}/calls'
    subprocess.run(['strace', '-f', '-c', '-o', table, BIN, *args], env=ENV, capture_output=True, check=True)
    with open(table) as f: rows = [line.split() for line in f if line[:1] == ' ' and line.split()[-1] != 'total']
    of = {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit()}
    return ', '.join(f'{name} {of[name]}' for name in ('statx', 'newfstatat', 'openat', 'getdents64', 'read', 'pread64', 'mmap') if name in of)


os.makedirs(f'{DATA}/run', mode=0o700, exist_ok=True)
if not os.path.exists(f'{DATA}/data/taffrail/index.db'):
    wall, cpu = run(['index']); print(f'index: wall {wall / 1e3:.1f} s, processor {cpu / 1e3:.1f} s', flush=True)
for args in COMMANDS:
    run(args); taken = [run(args) for _ in range(A.runs)]; wall = sorted(it[0] for it in taken)
    print(f'{" ".join(args):24} p50 {statistics.median(wall):6.1f} ms, p90 {wall[int(len(wall) * .9)]:6.1f} ms, least {wall[0]:6.1f} ms, '
          f'processor {statistics.median(it[1] for it in taken):6.1f} ms{"  " + calls(args) if A.calls else ""}', flush=True)
