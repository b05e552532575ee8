//! One price: dollars for a million tokens, which is microdollars a token, as an exact decimal.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Decimal places that a price keeps.
const PLACES: usize = 9;
/// How many of the smallest steps are a microdollar.
pub(crate) const STEPS: u64 = 1_000_000_000;
/// A dearer price is a mistake. It also keeps every sum far from overflow.
const DEAREST: u64 = 1_000_000;

/// Dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Price(u64);

impl Price {
    /// The price in billionths of a microdollar a token.
    pub(crate) fn steps(self) -> i128 {
        i128::from(self.0)
    }

    /// The nearest number, for output; sums never use it.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::INFINITY)
    }

    /// The price that a number means as it is written: 0.1 is a tenth.
    pub(crate) fn from_number(number: f64) -> Option<Self> {
        Self::shifted(number, 0)
    }

    /// The price that is written as dollars for one token.
    pub(crate) fn from_dollars_a_token(number: f64) -> Option<Self> {
        Self::shifted(number, 6)
    }

    /// The number times ten to the power of `shift`, rounded half up to the places that are kept.
    fn shifted(number: f64, shift: usize) -> Option<Self> {
        if !number.is_finite() || number.is_sign_negative() && number != 0.0 {
            return None;
        }
        // The shortest decimal that means this number is what somebody wrote.
        let text = number.abs().to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let places = PLACES + shift;
        let kept: String = fraction.chars().chain(std::iter::repeat('0')).take(places).collect();
        let round = fraction.chars().nth(places).is_some_and(|it| it >= '5');
        let steps = format!("{whole}{kept}").parse::<u128>().ok()? + u128::from(round);
        let steps = u64::try_from(steps).ok()?;
        (steps <= DEAREST * STEPS).then_some(Self(steps))
    }
}

impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, fraction) = (self.0 / STEPS, self.0 % STEPS);
        let fraction = format!("{fraction:09}");
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            fraction => write!(f, "{whole}.{fraction}"),
        }
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(STEPS) {
            return to.serialize_u64(self.0 / STEPS);
        }
        to.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(from)?;
        Self::from_number(number)
            .ok_or_else(|| serde::de::Error::custom(format!("`{number}` is not a price")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_the_decimal_that_was_written() {
        let check = |number: f64, expected: Option<&str>| {
            let got = Price::from_number(number).map(|it| it.to_string());
            assert_eq!(got.as_deref(), expected, "{number}");
        };
        check(0.1, Some("0.1"));
        check(3.75, Some("3.75"));
        check(3.0, Some("3"));
        check(0.0, Some("0"));
        check(-0.0, Some("0"));
        check(0.003625, Some("0.003625"));
        check(0.18000000000000002, Some("0.18"));
        check(0.083_333_333_5, Some("0.083333334"));
        check(1_000_000.0, Some("1000000"));
        check(1_000_001.0, None);
        check(1e300, None);
        check(-0.1, None);
        check(f64::NAN, None);
        check(f64::INFINITY, None);
    }

    #[test]
    fn dollars_a_token_are_moved_by_six_places() {
        let check = |number: f64, expected: Option<&str>| {
            let got = Price::from_dollars_a_token(number).map(|it| it.to_string());
            assert_eq!(got.as_deref(), expected, "{number}");
        };
        check(3e-6, Some("3"));
        check(1.25e-6, Some("1.25"));
        check(2.8e-9, Some("0.0028"));
        check(3.000_000_000_000_000_4e-7, Some("0.3"));
        check(1.0, Some("1000000"));
        check(2.0, None);
    }
}
