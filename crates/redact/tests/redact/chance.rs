//! Pseudo-random numbers that are the same in every run.

pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// A string of this length over an alphabet.
    pub(crate) fn run(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }

    /// Fills a template: `{a36}` becomes 36 letters and digits, `{h}` a word.
    pub(crate) fn fill(&mut self, template: &str) -> String {
        let mut out = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{") {
            let (code, next) = after.split_once("}}").unwrap();
            out.push_str(before);
            out.push_str(&self.piece(code));
            rest = next;
        }
        out + rest
    }

    fn piece(&mut self, code: &str) -> String {
        let (letter, count) = code.split_at(1);
        let count: usize = count.parse().unwrap_or(1);
        match letter {
            "h" => self.run(HEX, count),
            "a" => self.run(ALPHANUMERIC, count),
            "u" => self.run(&format!("{ALPHANUMERIC}-_"), count),
            "b" => self.run(&format!("{ALPHANUMERIC}+/"), count),
            "l" => self.run("abcdefghijklmnopqrstuvwxyz0123456789", count),
            "U" => self.run("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", count),
            "B" => self.run("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", count),
            "d" => self.run("0123456789", count),
            "p" => self.run(&format!("{ALPHANUMERIC}!#%*+-_.^"), count) + "7q",
            "w" => self.pick(WORDS).to_owned(),
            "v" => self.fill("{{c}}").chars().take(3 + self.below(5)).collect(),
            "c" => (0..3).map(|_| self.pick(SYLLABLES)).collect(),
            "C" => {
                ["B", "K", "M", "R", "T"].map(str::to_owned)[self.below(5)].clone()
                    + &self.piece("c")
            }
            "n" => format!("{}{}", self.pick(WORDS), self.below(900) + 100),
            "x" => self.fill("{{h8}}-{{h4}}-4{{h3}}-a{{h3}}-{{h12}}"),
            other => panic!("no piece is called {other}"),
        }
    }
}

pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const ALPHANUMERIC: &str =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Syllables of made-up words.
const SYLLABLES: &[&str] = &[
    "ald", "bor", "dan", "ener", "flo", "gan", "hal", "ilm", "jor", "kan", "lum", "mor", "nis",
    "olt", "per", "ros", "sul", "tam", "ulf", "ven", "wal", "zor",
];

pub(crate) const WORDS: &[&str] = &[
    "river",
    "parser",
    "token",
    "secret",
    "password",
    "session",
    "button",
    "window",
    "server",
    "client",
    "module",
    "buffer",
    "stream",
    "cursor",
    "branch",
    "commit",
    "deploy",
    "config",
    "worker",
    "handler",
    "request",
    "reply",
    "key",
    "auth",
    "credential",
    "cache",
    "table",
    "index",
    "search",
    "summary",
    "login",
    "bearer",
    "cookie",
    "test",
    "build",
    "release",
    "socket",
    "header",
    "folder",
    "archive",
];
