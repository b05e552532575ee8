#!/usr/bin/env python3
"""test_ask.py: corpus.py and ask.py against a stub that answers in the shape of `taffrail search --json`."""
import json, os, subprocess, sys, tempfile, textwrap, unittest

HERE = os.path.dirname(os.path.abspath(__file__))
STUB = textwrap.dedent('''\
    #!%s
    import json, os, subprocess, sys, time
    home = os.environ["HOME"]
    assert os.environ["XDG_DATA_HOME"].startswith(os.environ["ASK_RUN"])
    if sys.argv[1] == "index":                      # leaves a daemon behind, as a real one may
        p = subprocess.Popen(["sleep", "300"], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        open(os.environ["STUB_PID"] if "STUB_PID" in os.environ else home + "/stub.pid", "w").write(str(p.pid))
        sys.exit(0)
    assert sys.argv[1] == "search" and sys.argv[3:] == ["--json", "--limit", "50"]
    truth = json.load(open(home + "/truth.json"))
    q = next(x for x in json.load(open(%r)) if x["question"] == sys.argv[2])
    num, want = int(q["id"][1:]), q["answers"][0]
    main = lambda key: next(f for f in truth["files"] if f["session"] == key and "subagent" not in f)
    def hit(f, turn, **change):
        t = next(t for t in f["turns"] if t["turn"] == turn)
        raw = open(home + "/" + f["path"], "rb").read()
        line = raw[t["start"]:].split(b"\\n", 2)[1 if f["agent"] == "claude" else 0]
        off = raw.index(line, t["start"])
        u = json.loads(line).get("uuid", "")
        h = dict(session_id=f["session_id"], event_id=u, kind="prompt", created_at="", snippet="", score=1.0,
                 source_uri=f["agent"] + ":" + f["path"].split("/", 1)[1], source_cursor=dict(byte_offset=off, length=len(line)))
        h.update(change)
        return h
    noise = next(f for f in truth["files"] if f["kind"] == "noise")
    good = hit(main(want["session"]), want["turn"])
    if num == 1: hits = [good]
    elif num == 2: hits = [hit(noise, 1), hit(noise, 1), good]
    elif num == 3: sys.exit(2)
    elif num == 4: print("not json"); sys.exit(0)
    elif num == 5: hits = [dict(good, source_cursor=None, event_id="")]            # the session only
    elif num == 6: hits = [hit(main("shop-08f"), 1)]                                # the copy in the fork
    elif num == 7: hits = [dict(good, source_cursor=None, source_uri="")]           # a record id only
    elif num == 8: print("a line of log first"); hits = [good]
    elif num == 9: hits = [dict(session_id="zz", event_id=None, source_uri=None, source_cursor=None)]
    else: hits = []
    print(json.dumps(dict(total=len(hits), hits=hits)))
''')

class Ask(unittest.TestCase):
    def test_everything(self):
        with tempfile.TemporaryDirectory() as d:
            home = d + '/home'
            for out in (home, d + '/again'):
                subprocess.run([sys.executable, HERE + '/corpus.py', out, '--noise', '8'], check=True, stdout=subprocess.DEVNULL)
            self.assertEqual(open(home + '/truth.json').read(), open(d + '/again/truth.json').read())
            for f in json.load(open(home + '/truth.json'))['files']:
                raw = open(f'{home}/{f["path"]}', 'rb').read()
                self.assertEqual(raw, open(f'{d}/again/{f["path"]}', 'rb').read())
                end = f['turns'][0]['start']
                for t in f['turns']:
                    self.assertEqual(t['start'], end)
                    end = t['end']
                    [json.loads(l) for l in raw[t['start']:t['end']].splitlines()]
                self.assertEqual(end, len(raw))
            stub = d + '/stub'
            with open(stub, 'w') as f:
                f.write(STUB % (sys.executable, HERE + '/questions.json'))
            os.chmod(stub, 0o755)
            p = subprocess.run([sys.executable, HERE + '/ask.py', '--engine', 'taffrail', '--bin', stub, '--engine', 'grep', '--home', home, '--json', d + '/out.json'], capture_output=True, text=True)
            self.assertEqual(p.returncode, 0, p.stderr)
            rep = json.load(open(d + '/out.json'))
            rank = [r['rank'] for r in rep['taffrail']['rows']][:10]
            self.assertEqual(rank, [1, 3, None, None, None, 1, 1, 1, None, None])
            self.assertEqual(rep['taffrail']['rows'][4]['session_rank'], 1)
            self.assertIn('2 questions gave no usable answer', p.stdout)
            self.assertGreater(rep['grep']['figures']['found'], .3)
            pid = int(open(home + '/stub.pid').read())
            with self.assertRaises(OSError):
                os.kill(pid, 0)

if __name__ == '__main__':
    unittest.main(warnings='ignore')
