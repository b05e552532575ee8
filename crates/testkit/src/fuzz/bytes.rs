//! Damages bytes of any format: cuts, duplicates, moves, nests, lengthens, or inserts invalid text.

use crate::Chance;

/// Numbers that no field expects.
const NUMBERS: [&str; 7] = [
    "0",
    "-1",
    "1e999",
    "18446744073709551616",
    "-9223372036854775809",
    "9999999999999999999999999999999999999999",
    "0x7fffffffffffffff",
];
/// Bytes that text never or rarely has.
const ODD: [&[u8]; 12] = [
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xc3(",
    b"\xf4\x90\x80\x80",
    b"\x1b[2J",
    b"\r\n",
    b"\x7f",
    "\u{202e}".as_bytes(),
    "\u{feff}".as_bytes(),
    "e\u{301}\u{301}".as_bytes(),
    "\u{2028}".as_bytes(),
];
/// Opening and closing brackets.
const NESTS: [(&str, &str); 8] = [
    ("[", "]"),
    ("{\"a\":", "}"),
    ("{a=", "}"),
    ("(", ")"),
    ("$(", ")"),
    ("\"", "\""),
    ("`", "`"),
    ("a.", "b"),
];

/// One way to damage an input, with another input at hand.
type How = fn(&mut Damager, &mut Vec<u8>, &[u8]);

/// All ways to damage an input.
const HOWS: [How; 14] = [
    Damager::flip,
    Damager::flip,
    Damager::overwrite,
    Damager::cut,
    Damager::take_out,
    Damager::double,
    Damager::repeat,
    Damager::lines,
    Damager::splice,
    Damager::odd,
    Damager::number,
    Damager::nest,
    Damager::word,
    Damager::word,
];

/// Damages one input after another.
#[derive(Debug)]
pub struct Damager {
    chance: Chance,
    words: &'static [&'static str],
    longest: usize,
}

impl Damager {
    /// Starts with its own generator. Truncates inputs longer than `longest`.
    #[must_use]
    pub fn new(chance: Chance, words: &'static [&'static str], longest: usize) -> Self {
        Self { chance, words, longest }
    }

    /// A damaged copy; `other` is another input of the same kind.
    pub fn damage(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let mut out = input.to_vec();
        for _ in 0..self.chance.between(1, 4) {
            let how = *self.chance.pick(&HOWS);
            how(self, &mut out, other);
            out.truncate(self.longest);
        }
        out
    }

    /// A position to insert at.
    fn place(&mut self, input: &[u8]) -> usize {
        self.chance.below(input.len() + 1)
    }

    /// A range of an input; most are short.
    fn piece(&mut self, input: &[u8]) -> std::ops::Range<usize> {
        let from = self.place(input);
        let most = if self.chance.one_in(4) { input.len() } else { 16 };
        from..(from + self.chance.below(most + 1)).min(input.len())
    }

    #[expect(clippy::ptr_arg, reason = "all damage has one shape")]
    fn flip(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let at = self.chance.below(out.len());
        let bit = 1 << self.chance.below(8);
        out.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
    }

    #[expect(clippy::ptr_arg, reason = "all damage has one shape")]
    fn overwrite(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        for at in self.piece(out) {
            out[at] = self.chance.bits().to_le_bytes()[0];
        }
    }

    fn cut(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let end = self.place(out);
        out.truncate(end);
    }

    fn take_out(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let piece = self.piece(out);
        out.drain(piece);
    }

    fn double(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let piece = out[self.piece(out)].to_vec();
        let at = self.place(out);
        out.splice(at..at, piece);
    }

    /// Repeats a piece, up to the longest input.
    fn repeat(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let piece = out[self.piece(out)].to_vec();
        let most = if self.chance.one_in(10) { self.longest } else { 500 };
        let times = self.chance.below(most) / piece.len().max(1);
        let at = self.place(out);
        out.splice(at..at, piece.repeat(times));
    }

    /// Duplicates, moves or removes a line.
    fn lines(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let mut all: Vec<Vec<u8>> =
            out.split_inclusive(|it| *it == b'\n').map(Into::into).collect();
        if all.is_empty() {
            return;
        }
        let (from, to) = (self.chance.below(all.len()), self.chance.below(all.len()));
        match self.chance.below(3) {
            0 => all.insert(to, all[from].clone()),
            1 => all.swap(from, to),
            _ => drop(all.remove(from)),
        }
        *out = all.concat();
    }

    fn splice(&mut self, out: &mut Vec<u8>, other: &[u8]) {
        let theirs = other[self.piece(other)].to_vec();
        let ours = self.piece(out);
        out.splice(ours, theirs);
    }

    fn odd(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let at = self.place(out);
        let odd = self.chance.pick(&ODD).to_vec();
        out.splice(at..at, odd);
    }

    /// Replaces a number, if there is one.
    fn number(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let at = self.place(out);
        let from = out[at..].iter().position(u8::is_ascii_digit).map_or(at, |it| at + it);
        let digits = out[from..].iter().take_while(|it| it.is_ascii_digit()).count();
        let number = self.chance.pick(&NUMBERS).bytes();
        out.splice(from..from + digits, number);
    }

    /// Nests a piece in many brackets of one kind, which are not always closed.
    fn nest(&mut self, out: &mut Vec<u8>, _: &[u8]) {
        let (open, close) = *self.chance.pick(&NESTS);
        let most = if self.chance.one_in(4) { self.longest / open.len() } else { 40 };
        let depth = self.chance.below(most);
        let piece = self.piece(out);
        let closed = if self.chance.one_in(3) { 0 } else { depth };
        let inside = out[piece.clone()].to_vec();
        let nest =
            [open.repeat(depth).into_bytes(), inside, close.repeat(closed).into_bytes()].concat();
        out.splice(piece, nest);
    }

    fn word(&mut self, out: &mut Vec<u8>, other: &[u8]) {
        if self.words.is_empty() {
            return self.splice(out, other);
        }
        let word = self.chance.pick(self.words).bytes();
        let at = self.place(out);
        let to = if self.chance.one_in(2) { self.piece(out).len() } else { 0 };
        out.splice(at..(at + to).min(out.len()), word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_too_short_to_be_damaged_and_nothing_becomes_too_long() {
        for input in [b"".as_slice(), b"a", b"a = 1\nb = 2\n"] {
            let mut damager = Damager::new(Chance::new(1), &["x"], 1_000);
            let all: Vec<_> = (0..2_000).map(|_| damager.damage(input, input)).collect();
            assert!(all.iter().all(|it| it.len() <= 1_000));
            assert!(all.iter().any(|it| it.len() > 900), "none is long");
        }
    }
}
