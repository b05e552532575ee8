//! How foreign documents are read and written without losing what they said.

use serde::{Deserialize, Deserializer};

/// A field that may be absent, may be `null`, and keeps which of the two it was.
pub(crate) fn told<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// Words of a foreign document: those it names, and any other as it came.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $all:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)+
            /// A word this version does not know.
            Unknown(String),
        }

        /// The words the contract names.
        pub(crate) const $all: &[&str] = &[$($word),+];

        impl $name {
            /// The word as it is written.
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
