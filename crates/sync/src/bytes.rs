//! Byte arrays of fixed length with their own types, written as hex digits.

macro_rules! fixed_bytes {
    ($(#[$doc:meta])* $name:ident, $length:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; $length]);

        impl $name {
            /// Wraps the bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; $length]) -> Self {
                Self(bytes)
            }

            /// The bytes themselves.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }

            /// Parses the written form.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                $crate::bytes::from_hex(text)?.try_into().ok().map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(from)?;
                let wrong = || serde::de::Error::custom(concat!("not a ", stringify!($name)));
                Self::parse(&text).ok_or_else(wrong)
            }
        }
    };
}
pub(crate) use fixed_bytes;

fixed_bytes! {
    /// A team of devices: a random id that reveals nothing about them.
    TeamId, 16
}
fixed_bytes! {
    /// A BLAKE3 hash.
    Digest, 32
}
fixed_bytes! {
    /// An ed25519 signature.
    Signature, 64
}

/// Parses pairs of hex digits.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back(bytes: [u8; 32]) {
            let digest = Digest::from_bytes(bytes);
            prop_assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
            let json = serde_json::to_string(&digest).unwrap();
            prop_assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
        }
    }

    #[test]
    fn only_whole_hex_is_read() {
        let check = |text: &str, expected: Option<[u8; 16]>| {
            assert_eq!(TeamId::parse(text), expected.map(TeamId::from_bytes), "{text}");
        };
        check("000102030405060708090a0b0c0d0e0f", Some(std::array::from_fn(|n| n as u8)));
        check("000102030405060708090A0B0C0D0E0F", Some(std::array::from_fn(|n| n as u8)));
        check("000102030405060708090a0b0c0d0e0", None);
        check("000102030405060708090a0b0c0d0e0f00", None);
        check("+00102030405060708090a0b0c0d0e0f", None);
        check("000102030405060708090a0b0c0d0e0é", None);
        check("", None);
    }
}
