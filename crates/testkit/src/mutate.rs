//! Damages records with a seed, as disks, crashes, other versions and attackers do.

use crate::Chance;
use serde_json::Value;

/// The deepest nesting that is generated.
const DEPTH: usize = 10_000;
/// A placeholder for a value; the real bytes replace it and need not be JSON.
const HOLE: &str = "\u{1}hole";

/// Values of other types and shapes.
const OTHER_TYPES: [&str; 16] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "\"\"",
    "\"text\"",
    "\"7\"",
    "[]",
    "{}",
    "[null]",
    "[[]]",
    r#"{"type":"text","text":7}"#,
    r#"[{"type":"text"},3]"#,
    r#""\ud800 \udc00""#,
];
/// Numbers that no field expects.
const NUMBERS: [&str; 10] = [
    "1e999",
    "-1e999",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "9223372036854775807",
    "1e-400",
    "-0.0",
    "253402300800000",
    "123456789012345678901234567890123456789012345678901234567890",
];

/// The ways to damage a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// None: most records of a damaged file are intact.
    None,
    FlipBits,
    Cut,
    Splice,
    OtherType,
    Deep,
    NotUtf8,
    Double,
    OutOfRange,
    Borrow,
}

const ALL: [Damage; 14] = [
    Damage::None,
    Damage::None,
    Damage::FlipBits,
    Damage::Cut,
    Damage::Splice,
    Damage::OtherType,
    Damage::OtherType,
    Damage::OtherType,
    Damage::Deep,
    Damage::NotUtf8,
    Damage::Double,
    Damage::OutOfRange,
    Damage::Borrow,
    Damage::Borrow,
];

/// Damages one record after another.
#[derive(Debug)]
pub struct Mutator {
    chance: Chance,
    lengths: Lengths,
}

/// How long a string may become, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// Once in this many records a string has this length.
    pub usual: (usize, usize),
    /// The same for extreme lengths, if requested.
    pub extreme: Option<(usize, usize)>,
}

impl Mutator {
    /// Starts with its own generator.
    #[must_use]
    pub fn new(chance: Chance, lengths: Lengths) -> Self {
        Self { chance, lengths }
    }

    /// Returns a damaged copy of a record; `other` is another record of the same agent.
    pub fn mutate(&mut self, record: &[u8], other: &[u8]) -> Vec<u8> {
        let mut out = record.to_vec();
        for _ in 0..self.chance.between(1, 3) {
            let damage = *self.chance.pick(&ALL);
            out = self.apply(damage, &out, other);
        }
        let Lengths { usual, extreme } = self.lengths;
        for (once_in, length) in [Some(usual), extreme].into_iter().flatten() {
            if self.chance.one_in(once_in) {
                let string = self.long(length);
                out = self.replace_member(record, &string);
            }
        }
        // A line never holds a line feed.
        out.retain(|byte| *byte != b'\n');
        out
    }

    /// Returns a copy of a text in which one line is damaged; `other` is another text of the same agent.
    pub fn mutate_text(&mut self, text: &[u8], other: &[u8]) -> Vec<u8> {
        let mut lines: Vec<Vec<u8>> = text.split(|it| *it == b'\n').map(<[u8]>::to_vec).collect();
        let others: Vec<&[u8]> = other.split(|it| *it == b'\n').collect();
        let at = self.chance.below(lines.len());
        let other = *self.chance.pick(&others);
        lines[at] = self.mutate(&lines[at], other);
        lines.join(&b'\n')
    }

    fn apply(&mut self, damage: Damage, record: &[u8], other: &[u8]) -> Vec<u8> {
        match damage {
            Damage::None => record.to_vec(),
            Damage::FlipBits => self.flip(record),
            Damage::Cut => record[..self.chance.below(record.len())].to_vec(),
            Damage::Splice => self.splice(record, other),
            Damage::OtherType => {
                let value = *self.chance.pick(&OTHER_TYPES);
                self.replace_member(record, value.as_bytes())
            }
            Damage::Deep => {
                let value = self.deep();
                self.replace_member(record, &value)
            }
            Damage::NotUtf8 => self.replace_member(record, b"\"\xff\xc3(\xed\xa0\x80\""),
            Damage::Double => self.double(record),
            Damage::OutOfRange => {
                let value = *self.chance.pick(&NUMBERS);
                self.replace_member(record, value.as_bytes())
            }
            Damage::Borrow => self.borrow(record, other),
        }
    }

    fn flip(&mut self, record: &[u8]) -> Vec<u8> {
        let mut out = record.to_vec();
        if !out.is_empty() {
            for _ in 0..self.chance.between(1, 8) {
                let at = self.chance.below(out.len());
                out[at] ^= 1 << self.chance.below(8);
            }
        }
        out
    }

    fn splice(&mut self, record: &[u8], other: &[u8]) -> Vec<u8> {
        let head = self.chance.below(record.len());
        let tail = self.chance.below(other.len());
        [&record[..head], &other[tail..]].concat()
    }

    /// A value nested in ten thousand others, closed or not.
    fn deep(&mut self) -> Vec<u8> {
        let depth = self.chance.between(100, DEPTH);
        let (open, close) = *self.chance.pick(&[("[", "]"), (r#"{"content":"#, "}")]);
        let close = if self.chance.one_in(4) { String::new() } else { close.repeat(depth) };
        format!("{}1{close}", open.repeat(depth)).into_bytes()
    }

    /// A long string: plain, of escapes only, or of quoted JSON.
    fn long(&mut self, length: usize) -> Vec<u8> {
        let piece = *self.chance.pick(&["x", "\\n", "\\u00e9", "{\\\"a\\\":[", "漢", " "]);
        format!("\"{}\"", piece.repeat(length / piece.len())).into_bytes()
    }

    /// Duplicates a member, the second time with the value of another.
    fn double(&mut self, record: &[u8]) -> Vec<u8> {
        let Some(value) = parsed(record) else { return self.flip(record) };
        let count = members(&value);
        let (Some(first), Some(second)) = (
            nth(&value, self.chance.below(count)).map(|(key, _)| key),
            nth(&value, self.chance.below(count)).map(|(_, value)| value),
        ) else {
            return self.flip(record);
        };
        let key = format!("{}:", Value::from(first));
        let text = value.to_string();
        text.replacen(&key, &format!("{key}{second},{key}"), 1).into_bytes()
    }

    /// Copies a value from another record, so that ids collide that never should.
    fn borrow(&mut self, record: &[u8], other: &[u8]) -> Vec<u8> {
        let Some(theirs) = parsed(other) else { return self.splice(record, other) };
        let count = members(&theirs);
        let Some((_, value)) = nth(&theirs, self.chance.below(count)) else {
            return self.flip(record);
        };
        self.replace_member(record, value.to_string().as_bytes())
    }

    /// Replaces the value of one member by raw bytes; flips bits of a record that is not an object.
    pub fn replace_member(&mut self, record: &[u8], bytes: &[u8]) -> Vec<u8> {
        let Some(mut value) = parsed(record) else { return self.flip(record) };
        let at = self.chance.below(members(&value));
        let Some(member) = nth_mut(&mut value, &mut { at }) else { return self.flip(record) };
        *member = Value::from(HOLE);
        let (text, hole) = (value.to_string(), Value::from(HOLE).to_string());
        match text.split_once(&hole) {
            Some((before, after)) => [before.as_bytes(), bytes, after.as_bytes()].concat(),
            None => text.into_bytes(),
        }
    }
}

fn parsed(record: &[u8]) -> Option<Value> {
    serde_json::from_slice(record).ok().filter(Value::is_object)
}

/// The total number of members of all objects in a value.
fn members(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.values().map(|it| 1 + members(it)).sum(),
        Value::Array(items) => items.iter().map(members).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn nth(value: &Value, mut at: usize) -> Option<(String, Value)> {
    fn walk(value: &Value, at: &mut usize) -> Option<(String, Value)> {
        match value {
            Value::Object(fields) => fields.iter().find_map(|(key, member)| {
                if *at == 0 {
                    return Some((key.clone(), member.clone()));
                }
                *at -= 1;
                walk(member, at)
            }),
            Value::Array(items) => items.iter().find_map(|item| walk(item, at)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }
    walk(value, &mut at)
}

fn nth_mut<'a>(value: &'a mut Value, at: &mut usize) -> Option<&'a mut Value> {
    match value {
        Value::Object(fields) => fields.values_mut().find_map(|member| {
            if *at == 0 {
                return Some(member);
            }
            *at -= 1;
            nth_mut(member, at)
        }),
        Value::Array(items) => items.iter_mut().find_map(|item| nth_mut(item, at)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: Lengths = Lengths { usual: (50, 4096), extreme: None };

    #[test]
    fn damage_is_the_same_for_the_same_seed_and_never_breaks_a_line() {
        let record = br#"{"a":1,"b":{"c":["x",{"d":null}]},"e":"text"}"#;
        let damaged = |seed| {
            let mut mutator = Mutator::new(Chance::new(seed), LENGTHS);
            (0..500).map(|_| mutator.mutate(record, b"{\"f\":[1,2]}")).collect::<Vec<_>>()
        };
        assert_eq!(damaged(1), damaged(1));
        assert_ne!(damaged(1), damaged(2));
        assert!(damaged(1).iter().flatten().all(|byte| *byte != b'\n'));
        let distinct: std::collections::HashSet<_> = damaged(1).into_iter().collect();
        assert!(distinct.len() > 200, "{} kinds of damage", distinct.len());
    }

    #[test]
    fn a_text_keeps_its_other_lines() {
        let text = b"{\"a\":1}\n{\"b\":2}\n{\"c\":3}";
        let lines = |it: &[u8]| it.split(|it| *it == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let mut mutator = Mutator::new(Chance::new(1), LENGTHS);
        for _ in 0..500 {
            let damaged = lines(&mutator.mutate_text(text, b"{\"f\":4}"));
            let same = lines(text).iter().zip(&damaged).filter(|(one, other)| one == other).count();
            assert_eq!((damaged.len(), same >= 2), (3, true));
        }
    }

    #[test]
    fn members_are_counted_and_found() {
        let value: Value = serde_json::from_str(r#"{"a":[{"b":1}],"c":{"d":2}}"#).unwrap();
        assert_eq!(members(&value), 4);
        let keys: Vec<_> = (0..5).filter_map(|at| nth(&value, at)).map(|(key, _)| key).collect();
        assert_eq!(keys, ["a", "b", "c", "d"]);
    }
}
