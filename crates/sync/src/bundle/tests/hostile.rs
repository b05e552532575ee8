//! Two hundred harmful bundles made by a device of the team. None is unpacked.

use super::*;
use serde_json::json;

/// Paths with an empty part.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "", "/", "/etc/passwd", "//x", "a//b", "a/", "/a", "///",
];
/// Paths that lead outside.
#[rustfmt::skip]
const OUT: &[&str] = &[
    "..", ".", "../x", "./x", "a/../x", "a/..", "a/.", "../../../../root/.ssh/authorized_keys",
    "a/./b", "a/b/../../..", "../", "./../x", "..//x", "x/../../x",
];
/// Paths that are not plain names.
#[rustfmt::skip]
const ODD: &[&str] = &[
    "a\\b", "..\\x", "C:\\x", "C:x", "\\\\host\\x", "a:b", "a\0", "\0", "a\nb", "a\rb", "a\tb",
    " a", "a ", "a b", "~", "~/x", "~root/x", "$HOME", "${x}", "$(x)", "`x`", "a;b", "a|b", "a&b",
    "a>b", "a<b", "a*b", "a?b", "a'b", "a\"b", "a!b", "a#b", "a%2e%2e", "%2e%2e/x", "é",
    "a\u{301}", "\u{202e}gpj.x", "\u{200b}", "\u{feff}x", "．．/x", "。/x", "\u{1b}[2J", "\u{7f}",
    "\u{9b}2J", ".x", ".git/config", ".ssh/id", "a/.hidden", "-rf", "-", "--x", "a/-x", "x.",
    "a./b", "...", "....", "con", "CON", "nul.txt", "Aux", "prn.x", "com1", "LPT9.log", "a/nul/b",
    "a(b)", "a[b]", "a{b}", "a^b", "\u{2044}etc", "\u{ff0f}x", "a\u{a0}b",
];

/// Forbidden paths, with their problems.
fn paths() -> Vec<(String, BadPath)> {
    let long = [
        "x".repeat(129),
        "x".repeat(513),
        ["a"; 17].join("/"),
        "../".repeat(200),
        vec!["x".repeat(128); 4].join("/"),
        "/".repeat(20),
    ];
    let named = |paths: &[&str], why: BadPath| -> Vec<_> {
        paths.iter().map(|path| ((*path).to_owned(), why)).collect()
    };
    let mut all = named(EMPTY, BadPath::Empty);
    all.extend(named(OUT, BadPath::LeadsOut));
    all.extend(named(ODD, BadPath::Odd));
    all.extend(long.map(|path| (path, BadPath::TooLong)));
    all
}

type Case = (Vec<u8>, Refused);

fn cases(roster: &Roster, by: &Own, to: &Own) -> Vec<Case> {
    let base = || Forgery::new(&[("a", b"text"), ("b", b"more")], roster, by, to);
    let mut all: Vec<Case> = Vec::new();
    for (path, why) in paths() {
        for at in 0..2 {
            let mut forgery = base();
            forgery.manifest["entries"][at]["path"] = json!(path);
            all.push((forgery.file(), Refused::Path { path: path.clone(), why }));
        }
    }
    for [first, second] in [["a", "a"], ["a", "A"], ["x/Y", "X/y"], ["a", "a/b"], ["A", "a/b/c"]] {
        let mut forgery = base();
        forgery.manifest["entries"][0]["path"] = json!(first);
        forgery.manifest["entries"][1]["path"] = json!(second);
        let path = second.to_owned();
        all.push((forgery.file(), Refused::Path { path, why: BadPath::Twice }));
    }
    all.extend(false_manifests(&base));
    all.extend(false_blocks(&base));
    all.extend(false_insides(&base, to));
    all
}

/// Manifests that lie.
fn false_manifests<'a>(base: &dyn Fn() -> Forgery<'a>) -> Vec<Case> {
    let mut all: Vec<Case> = Vec::new();
    let mut with = |change: &dyn Fn(&mut serde_json::Value), expected: Refused| {
        let mut forgery = base();
        change(&mut forgery.manifest);
        all.push((forgery.file(), expected));
    };
    for length in [2_u64 << 30, u64::MAX, 1 << 62] {
        with(&|m| m["entries"][0]["length"] = json!(length), Refused::TooLarge);
    }
    with(&|m| m["entries"][0]["length"] = json!((2_u64 << 30) - 3), Refused::TooLarge);
    let many = |count: usize| {
        let entry = |n: usize| {
            json!({"path": format!("f{n}"), "kind": "spill", "length": 0,
            "blake3": blake3::hash(b"").to_string()})
        };
        (0..count).map(entry).collect::<Vec<_>>()
    };
    with(&|m| m["entries"] = json!(many(10_001)), Refused::TooMany);
    with(&|m| m["entries"] = json!(many(20_000)), Refused::TooMany);
    with(&|m| m["entries"] = json!(many(10_000)), Refused::Unlisted);
    with(&|m| m["entries"] = json!([]), Refused::Unlisted);
    for version in [0, 2, 255] {
        with(&|m| m["format"] = json!(version), Refused::Newer { version });
    }
    for path in ["a", "b"] {
        let at = usize::from(path == "b");
        let not = || Refused::NotAsListed { path: path.to_owned() };
        with(&|m| m["entries"][at]["blake3"] = json!("00".repeat(32)), not());
        with(&|m| m["entries"][at]["blake3"] = json!(blake3::hash(b"Text").to_string()), not());
    }
    let not = || Refused::NotAsListed { path: "a".to_owned() };
    with(&|m| m["entries"][0]["length"] = json!(3), not());
    with(&|m| m["entries"][0]["length"] = json!(5), not());
    with(&|m| m["entries"][0]["length"] = json!(2_000_000_000), not());
    with(
        &|m| m["entries"].as_array_mut().unwrap().swap(0, 1),
        Refused::NotAsListed { path: "b".to_owned() },
    );
    with(&|m| m["team"] = json!("09".repeat(16)), Refused::NotUnderstood);
    with(&|m| m["to"] = json!(["somebody"]), Refused::NotForUs);
    with(&|m| m["to"] = json!([]), Refused::NotForUs);
    let device = DeviceId::new("nobody");
    with(&|m| m["made_by"] = json!("nobody"), Refused::Stranger { device });
    with(&|m| m["made_by"] = json!("id-tower"), Refused::Forged);
    let broken = [json!(null), json!([]), json!("x"), json!({}), json!({"format": 1})];
    for manifest in broken {
        with(&|m| *m = manifest.clone(), Refused::NotUnderstood);
    }
    for field in ["format", "team", "made_by", "made_at", "session", "agent", "entries", "to"] {
        with(&|m| drop(m.as_object_mut().unwrap().remove(field)), Refused::NotUnderstood);
        with(&|m| m[field] = json!({"x": 1}), Refused::NotUnderstood);
    }
    for length in [json!(-1), json!(1.5), json!("4"), json!(1e300)] {
        with(&|m| m["entries"][0]["length"] = length.clone(), Refused::NotUnderstood);
    }
    all
}

/// Blocks that our writer never produces.
fn false_blocks<'a>(base: &dyn Fn() -> Forgery<'a>) -> Vec<Case> {
    let mut all: Vec<Case> = Vec::new();
    let mut with = |blocks: Vec<u8>, expected: Refused| {
        all.push((Forgery { blocks, ..base() }.file(), expected));
    };
    let block = |length: u32, body: &[u8]| {
        let stored = u32::try_from(body.len()).unwrap().to_le_bytes();
        [length.to_le_bytes().as_slice(), &stored, body].concat()
    };
    let good = base().blocks;
    let bomb = |length: usize| zstd::bulk::compress(&vec![0; length], 19).unwrap();
    for length in [101_u32, 4096, 1 << 20] {
        with(block(length, &[0]), Refused::Bomb);
        with(block(length, &bomb(length as usize)[..1]), Refused::Bomb);
    }
    with(block(1 << 20, &bomb(1 << 20)), Refused::Bomb);
    // The stated size is small, the unpacked size is large.
    with(block(2000, &bomb(1 << 26)[..1000]), Refused::Bomb);
    with(block(5000, &[bomb(1 << 24).as_slice()].concat()), Refused::Bomb);
    for length in [(1 << 20) + 1, 1 << 30, u32::MAX] {
        with(block(length, &vec![0; (length as usize >> 6).min(1 << 20)]), Refused::Damaged);
    }
    with(block(1, b"xx"), Refused::Damaged);
    with(block(0, b"x"), Refused::Damaged);
    with(Vec::new(), Refused::Damaged);
    with(vec![0; 4], Refused::Damaged);
    with(vec![0; 8], Refused::NotAsListed { path: "a".to_owned() });
    with(good[..good.len() - 8].to_vec(), Refused::Damaged);
    with(good[..good.len() - 1].to_vec(), Refused::Damaged);
    with([good.as_slice(), b"x"].concat(), Refused::Unlisted);
    with([good.as_slice(), &good].concat(), Refused::Unlisted);
    with([block(9, b"textmore!"), vec![0; 8]].concat(), Refused::Unlisted);
    with(
        [block(7, b"textmor"), vec![0; 8]].concat(),
        Refused::NotAsListed { path: "b".to_owned() },
    );
    all
}

/// The content before the manifest.
fn false_insides<'a>(base: &dyn Fn() -> Forgery<'a>, to: &Own) -> Vec<Case> {
    let mut all: Vec<Case> = Vec::new();
    for length in [8 * 1024 * 1024 + 1, 1 << 30, u32::MAX] {
        all.push((sealed_file(&length.to_le_bytes(), to), Refused::TooLarge));
    }
    all.push((sealed_file(&[], to), Refused::Damaged));
    all.push((sealed_file(&[9, 0, 0, 0, b'['], to), Refused::Damaged));
    let parts = |roster: &[u8], manifest: &[u8]| {
        let length = |part: &[u8]| u32::try_from(part.len()).unwrap().to_le_bytes();
        let all = [&length(roster), roster, &length(manifest), manifest, &[0; 64]];
        sealed_file(&all.concat(), to)
    };
    for roster in ["", "{}", "[1]", "null", "[{}]"] {
        all.push((parts(roster.as_bytes(), b"{}"), Refused::NotUnderstood));
    }
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    all.push((parts(deep.as_bytes(), b"{}"), Refused::NotUnderstood));
    all.push((parts(b"[]", deep.as_bytes()), Refused::NotUnderstood));
    // Entries that do not follow from the known ones.
    let entries = base().roster.to_vec();
    let fault = |entries: &[Entry], expected: crate::roster::Fault| {
        (Forgery { roster: entries, ..base() }.file(), Refused::Roster(expected))
    };
    let mut gap = entries.clone();
    gap[1].statement.n = 5;
    all.push(fault(&gap, crate::roster::Fault::Gap { expected: 2, n: 5 }));
    let mut fork = entries;
    fork[1].statement.epoch = 5;
    all.push(fault(&fork, crate::roster::Fault::Forked { n: 1 }));
    all
}

#[test]
fn two_hundred_hostile_bundles_and_none_is_unpacked() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let whole = Forgery::new(&[("a", b"text"), ("b", b"more")], &roster, &a, &b);
    assert!(unpacked(&whole.file(), &roster, &b).is_ok(), "the base is a good one");
    let cases = cases(&roster, &a, &b);
    println!("{} hostile bundles", cases.len());
    assert!(cases.len() >= 200);
    for (at, (file, expected)) in cases.into_iter().enumerate() {
        let got = unpacked(&file, &roster, &b).map(|_| ());
        assert_eq!(got, Err(expected), "case {at}");
    }
}

#[test]
fn a_kind_of_a_later_version_is_handed_over_by_its_name() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let mut forgery = Forgery::new(&[("a", b"text")], &roster, &a, &b);
    forgery.manifest["entries"][0]["kind"] = json!("dream");
    let (_, unpacked) = unpacked(&forgery.file(), &roster, &b).unwrap();
    assert_eq!(unpacked.manifest.entries[0].kind, Kind::Unknown("dream".to_owned()));
    let words: Vec<_> = unpacked.manifest.entries.iter().map(|e| e.kind.as_str()).collect();
    assert_eq!(words, ["dream"]);
}
