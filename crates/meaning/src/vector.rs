//! The direction of a text in the space of the table, in one byte a dimension.

use crate::DIMENSIONS;

/// How many numbers of 64 bits hold a vector.
pub const WORDS: usize = DIMENSIONS / 8;
/// One in a byte.
const ONE: f32 = 127.0;

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vector([i8; DIMENSIONS]);

impl Vector {
    /// The direction of a sum of vectors; `None` if the sum has none.
    pub(crate) fn towards(sum: &[f32; DIMENSIONS]) -> Option<Self> {
        let length = sum.iter().map(|it| it * it).sum::<f32>().sqrt();
        let mut out = [0; DIMENSIONS];
        for (byte, component) in out.iter_mut().zip(sum) {
            *byte = (component / length * ONE).round() as i8;
        }
        (length > f32::EPSILON).then_some(Self(out))
    }

    /// The vector in the form that a column of numbers keeps.
    #[must_use]
    pub fn to_words(self) -> [u64; WORDS] {
        let mut out = [0; WORDS];
        for (word, bytes) in out.iter_mut().zip(self.0.chunks_exact(8)) {
            *word = bytes.iter().fold(0, |word, it| word << 8 | u64::from(it.cast_unsigned()));
        }
        out
    }

    /// The vector that `to_words` wrote.
    #[must_use]
    pub fn from_words(words: &[u64; WORDS]) -> Self {
        let mut out = [0; DIMENSIONS];
        for (bytes, word) in out.chunks_exact_mut(8).zip(words) {
            for (byte, value) in bytes.iter_mut().zip(word.to_be_bytes()) {
                *byte = value.cast_signed();
            }
        }
        Self(out)
    }

    /// How alike two directions are: about 1 for the same, 0 for unrelated ones.
    #[must_use]
    pub fn likeness(&self, other: &Self) -> f32 {
        let products = self.0.iter().zip(&other.0).map(|(a, b)| i32::from(*a) * i32::from(*b));
        products.sum::<i32>() as f32 / (ONE * ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_hold_every_vector(bytes in proptest::collection::vec(any::<i8>(), DIMENSIONS)) {
            let vector = Vector(bytes.try_into().unwrap());
            prop_assert_eq!(Vector::from_words(&vector.to_words()), vector);
        }

        #[test]
        fn likeness_is_that_of_the_directions(
            a in proptest::collection::vec(-1f32..1., DIMENSIONS),
            b in proptest::collection::vec(-1f32..1., DIMENSIONS),
        ) {
            let length = |it: &[f32]| it.iter().map(|it| it * it).sum::<f32>().sqrt();
            let exact = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f32>() / length(&a) / length(&b);
            let of = |it: Vec<f32>| Vector::towards(&it.try_into().unwrap()).unwrap();
            let (one, other) = (of(a), of(b));
            prop_assert!((one.likeness(&other) - exact).abs() < 0.03);
            prop_assert_eq!(one.likeness(&other), other.likeness(&one));
        }
    }

    #[test]
    fn nothing_has_no_direction() {
        assert_eq!(Vector::towards(&[0.0; DIMENSIONS]), None);
    }
}
