//! Serde helpers for foreign documents, which must survive reading and writing unchanged.

use serde::{Deserialize, Deserializer};

/// Deserializes a field that may be absent or `null`, and keeps the difference.
pub(crate) fn nullable<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// Defines an enumeration of a foreign document that keeps unknown words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $all:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)+
            /// A word that this version does not know.
            Unknown(String),
        }

        /// The words of the contract.
        pub(crate) const $all: &[&str] = &[$($word),+];

        impl $name {
            /// The word as documents spell it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Unknown(word) => word,
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(d)?;
                Ok(match word.as_str() {
                    $($word => Self::$variant,)+
                    _ => Self::Unknown(word),
                })
            }
        }
    };
}
pub(crate) use words;
