//! The table: for every word piece a direction, in two bits a dimension, and a weight.

use crate::split::words;
use crate::{DIMENSIONS, Vector};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The table that `table/distil.py` writes.
static BYTES: &[u8] = include_bytes!("../table/table.bin");
static BUILT_IN: LazyLock<Table<'static>> =
    // A test reads the table, so that it is never empty in a program.
    LazyLock::new(|| Table::parse(BYTES).unwrap_or_default());

const MAGIC: &[u8] = b"TFMEAN2\n";
/// Words with more bytes are encoded data.
const LONGEST_WORD: usize = 64;
/// A byte of a row holds the components of so many dimensions.
const OF_BYTE: usize = 4;
/// Zero lies between the second and the third of the four values of a component.
const MIDDLE: f32 = 1.5;
/// A weight of one.
const ONE: f32 = 65_535.0;
/// What a piece inside a word begins with.
const INSIDE: &str = "##";

/// The pieces of words and their vectors.
#[derive(Debug, Clone)]
pub(crate) struct Table<'a> {
    /// The rows of pieces at the beginning of a word.
    first: HashMap<&'a str, usize>,
    /// The rows of pieces inside a word.
    inside: HashMap<&'a str, usize>,
    /// The bytes of the longest piece.
    longest: usize,
    /// The steps of the components, one for each dimension.
    steps: [f32; DIMENSIONS],
    weights: &'a [u8],
    rows: &'a [u8],
}

impl Default for Table<'_> {
    fn default() -> Self {
        Self {
            first: HashMap::new(),
            inside: HashMap::new(),
            longest: 0,
            steps: [0.0; DIMENSIONS],
            weights: &[],
            rows: &[],
        }
    }
}

/// The table in the program.
pub(crate) fn built_in() -> &'static Table<'static> {
    &BUILT_IN
}

impl<'a> Table<'a> {
    /// Reads a table: a magic word, the number of rows, the steps, the weights, the rows, and one
    /// piece a line.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (count, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let (steps, rest) = rest.split_at_checked(4 * DIMENSIONS)?;
        let (weights, rest) = rest.split_at_checked(count.checked_mul(2)?)?;
        let (rows, pieces) = rest.split_at_checked(count.checked_mul(DIMENSIONS / OF_BYTE)?)?;
        let mut out = Self { weights, rows, ..Self::default() };
        for (step, bytes) in out.steps.iter_mut().zip(steps.chunks_exact(4)) {
            *step = f32::from_le_bytes(bytes.try_into().ok()?);
        }
        let pieces = std::str::from_utf8(pieces).ok()?;
        for (row, piece) in pieces.lines().enumerate() {
            out.longest = out.longest.max(piece.len());
            match piece.strip_prefix(INSIDE) {
                Some(inside) => out.inside.insert(inside, row),
                None => out.first.insert(piece, row),
            };
        }
        (out.first.len() + out.inside.len() == count).then_some(out)
    }

    /// The direction of a text; `None` if the table has no piece of it.
    pub(crate) fn vector(&self, text: &str) -> Option<Vector> {
        let mut sum = [0.0; DIMENSIONS];
        let mut found = Vec::new();
        words(text, |word| {
            self.pieces_of(word, &mut found);
            found.drain(..).for_each(|row| self.add(row, &mut sum));
        });
        for (component, step) in sum.iter_mut().zip(&self.steps) {
            *component *= step;
        }
        Vector::towards(&sum)
    }

    /// The rows of the pieces of a word, the longest from its start each time; none if a part of it
    /// is not in the table.
    pub(crate) fn pieces_of(&self, word: &str, out: &mut Vec<usize>) {
        out.clear();
        let mut rest = if word.len() > LONGEST_WORD { "" } else { word };
        while !rest.is_empty() {
            let known = if out.is_empty() { &self.first } else { &self.inside };
            let Some((row, length)) = self.longest_of(known, rest) else { return out.clear() };
            out.push(row);
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    fn longest_of(&self, known: &HashMap<&str, usize>, text: &str) -> Option<(usize, usize)> {
        let lengths = (1..=text.len().min(self.longest)).rev();
        let starts = lengths.filter_map(|it| Some((text.get(..it)?, it)));
        starts.filter_map(|(start, length)| Some((*known.get(start)?, length))).next()
    }

    /// Adds a row in steps.
    fn add(&self, row: usize, sum: &mut [f32; DIMENSIONS]) {
        let weight = self.weights.get(2 * row..).and_then(<[u8]>::first_chunk::<2>);
        let Some(components) = self.rows.chunks_exact(DIMENSIONS / OF_BYTE).nth(row) else {
            return;
        };
        let weight = weight.map_or(0.0, |it| f32::from(u16::from_le_bytes(*it)) / ONE);
        for (sums, byte) in sum.chunks_exact_mut(OF_BYTE).zip(components) {
            let values = [byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += (f32::from(value) - MIDDLE) * weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_program_is_whole() {
        let table = Table::parse(BYTES).unwrap();
        assert!(table.first.len() > 10_000 && table.inside.len() > 2_000);
        assert!(table.weights.chunks_exact(2).all(|it| it != [0, 0]));
        assert!(table.steps.iter().all(|it| it.is_finite() && *it > 0.0));
    }

    #[test]
    fn a_torn_table_is_refused() {
        for length in [0, 7, 8, 11, 12, 100, 1_000, 100_000, BYTES.len() - 10] {
            assert!(Table::parse(&BYTES[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn a_word_is_cut_into_the_longest_pieces() {
        let table = built_in();
        let name = |row: usize| {
            let first = table.first.iter().map(|(piece, row)| ((*piece).to_owned(), *row));
            let inside = table.inside.iter().map(|(piece, row)| (format!("##{piece}"), *row));
            first.chain(inside).find(|(_, known)| *known == row).unwrap().0
        };
        let check = |word: &str, expected: &[&str]| {
            let mut rows = Vec::new();
            table.pieces_of(word, &mut rows);
            assert_eq!(rows.into_iter().map(name).collect::<Vec<_>>(), expected, "{word}");
        };
        check("", &[]);
        check("test", &["test"]);
        check("debugging", &["de", "##bu", "##gging"]);
        check("数", &[]);
        check("test数", &[]);
        check(&"a".repeat(65), &[]);
    }
}
