#!/usr/bin/env python3
"""check.py [-v] [FILE]: every question in FILE, else in questions.json, points at a session and turn that exist, ids are unique, and how many specific words
each question shares with the turn that answers it. A specific word is a word of 3 letters or more, not a stop word, that
occurs in at most 8 % of the hand-written turns; words are compared after cutting plural, -ed and -ing."""
import collections, json, os, re, sys
import corpus

HERE = os.path.dirname(os.path.abspath(__file__))
CUT = corpus.STOP | set('get got how did why our the was that weird thing what could while because did come still can although without'.split())

def stem(w):
    for suf in ('ing', 'ed', 'es', 's'):
        if w.endswith(suf) and len(w) - len(suf) >= 3:
            return w[:-len(suf)]
    return w[:-1] if w.endswith('e') and len(w) > 4 else w

def words(text):
    out = set()
    for w in re.findall(r"[a-z0-9à-ÿ]+", re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', text).lower()):
        if len(w) >= 3 and w not in CUT:
            s = stem(w)
            out.add(s[:-1] if s.endswith('e') and len(s) > 4 else s)
    return out

def turn_text(t):
    parts = [t['prompt'], t['answer']]
    for st in t['steps']:
        parts += [st['arg'], st.get('result', '')] + [o for o in st['out'] if isinstance(o, str)] + st.get('old', []) + st.get('new', [])
        for s in st.get('sub', []):
            parts += [s['arg']] + s['out']
    return '\n'.join(parts)

def main():
    turns = {(s['key'], i): words(turn_text(t)) for s in corpus.load() if not s['fork_of'] for i, t in enumerate(s['turns'], 1)}
    file = next((a for a in sys.argv[1:] if a != '-v'), os.path.join(HERE, 'questions.json'))
    qs = json.load(open(file, encoding='utf-8'))
    df = collections.Counter(w for ws in turns.values() for w in ws)
    rare = lambda w: df[w] <= .08 * len(turns)
    bad, by = 0, collections.defaultdict(list)
    if len({q['id'] for q in qs}) != len(qs) or len({q['question'] for q in qs}) != len(qs):
        bad += 1
        print('ids or questions are not unique')
    for q in qs:
        miss = [a for a in q['answers'] if (a['session'], a['turn']) not in turns]
        if miss or not q['answers'] or q['difficulty'] not in ('easy', 'medium', 'hard', 'id'):
            bad += 1
            print(q['id'], 'points at nothing:', miss)
            continue
        w = {x for x in words(q['question']) if rare(x)}
        best = max((w & turns[(a['session'], a['turn'])] for a in q['answers']), key=len)
        by[q['difficulty']].append(len(best))
        if '-v' in sys.argv:
            print(f"{q['id']} {q['difficulty']:6} {len(best)} of {len(w)}  {q['question']}   [{' '.join(sorted(best))}]")
    print(f'{len(turns)} hand-written turns, {len(qs)} questions, {len({(a["session"], a["turn"]) for q in qs for a in q["answers"]})} turns asked for')
    for d, l in by.items():
        print(f'{d:6} {len(l):3} questions, shared specific words: mean {sum(l) / len(l):.1f}, ' + ', '.join(f'{k}: {v}' for k, v in sorted(collections.Counter(l).items())))
    sys.exit(1 if bad else 0)

if __name__ == '__main__':
    main()
