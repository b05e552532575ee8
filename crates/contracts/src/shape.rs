//! What a document looks like, told once: its check and its JSON Schema both come from here.

use crate::report::Level;
use regex::Regex;

/// What a value may be.
#[derive(Debug)]
pub enum Shape {
    /// Anything.
    Any,
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag,
    /// A string, and the forms it must have.
    Text(Vec<Form>),
    /// One of a few words.
    Word(&'static [&'static str], Level),
    /// An integer, not below the least.
    Whole(Option<i64>),
    /// Any number, within bounds.
    Number(Option<(f64, f64)>),
    /// A list of values of one shape.
    List(Box<Self>),
    /// An object with names of the document's own and values of one shape.
    Map(Box<Self>),
    /// An object with known names.
    Object(Object),
    /// One of several shapes, told apart by their JSON type.
    Either(Vec<Self>),
    /// One of two objects, told apart by the word in one of their fields.
    Switch(Box<Switch>),
}

/// An object with known names.
#[derive(Debug)]
pub struct Object {
    /// Its fields.
    pub fields: Vec<Field>,
    /// What a name means that is not known.
    pub unknown: Unknown,
}

/// What a name means that an object does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// It belongs to someone else and is left alone.
    Kept,
    /// A producer may not write it.
    Refused(Level),
}

/// A field of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Whether it must be there.
    pub need: Option<Level>,
    /// What stands in it.
    pub shape: Shape,
}

/// One of two objects.
#[derive(Debug)]
pub struct Switch {
    /// The field that tells.
    pub field: &'static str,
    /// The word that makes it the first.
    pub word: &'static str,
    /// With that word.
    pub then: Shape,
    /// With any other, or without.
    pub otherwise: Shape,
}

/// A form a string must have: one regular expression, in the common part of Rust's and of ECMA's.
#[derive(Debug)]
pub struct Form {
    /// The last part of the rule's name.
    pub rule: &'static str,
    /// How much weight it has.
    pub level: Level,
    /// The expression, as it stands in the schema.
    pub pattern: &'static str,
    /// What to write instead.
    pub hint: &'static str,
    regex: Option<Regex>,
}

impl Form {
    /// A form by its expression.
    #[must_use]
    pub fn new(
        rule: &'static str,
        level: Level,
        pattern: &'static str,
        hint: &'static str,
    ) -> Self {
        Self { rule, level, pattern, hint, regex: Regex::new(pattern).ok() }
    }

    /// The text has it. An expression that cannot be read has no text; a test reads them all.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        self.regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl Shape {
    /// What is expected, in words.
    #[must_use]
    pub fn wanted(&self) -> String {
        match self {
            Self::Any => "a value".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Flag => "a boolean".to_owned(),
            Self::Text(_) => "a string".to_owned(),
            Self::Word(words, _) if words.len() == 1 => format!("the string {}", words.join("")),
            Self::Word(words, _) => format!("one of {}", words.join(", ")),
            Self::Whole(_) => "an integer".to_owned(),
            Self::Number(_) => "a number".to_owned(),
            Self::List(of) => format!("an array, each element {}", of.wanted()),
            Self::Map(of) => format!("an object, each value {}", of.wanted()),
            Self::Object(_) | Self::Switch(_) => "an object".to_owned(),
            Self::Either(shapes) => {
                shapes.iter().map(Self::wanted).collect::<Vec<_>>().join(", or ")
            }
        }
    }
}

/// A string of any form.
#[must_use]
pub fn text() -> Shape {
    Shape::Text(Vec::new())
}

/// A string of one form.
#[must_use]
pub fn formed(form: Form) -> Shape {
    Shape::Text(vec![form])
}

/// One of a few words, always.
#[must_use]
pub fn word(words: &'static [&'static str]) -> Shape {
    Shape::Word(words, Level::Must)
}

/// A list.
#[must_use]
pub fn list(of: Shape) -> Shape {
    Shape::List(Box::new(of))
}

/// An object whose names are data.
#[must_use]
pub fn map(of: Shape) -> Shape {
    Shape::Map(Box::new(of))
}

/// The same, or `null`.
#[must_use]
pub fn or_null(shape: Shape) -> Shape {
    Shape::Either(vec![shape, Shape::Null])
}

/// An object that keeps what it does not know.
#[must_use]
pub fn object(fields: Vec<Field>) -> Shape {
    Shape::Object(Object { fields, unknown: Unknown::Kept })
}

/// A field that must be there.
#[must_use]
pub fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, need: Some(Level::Must), shape }
}

/// A field that a strict reading asks for.
#[must_use]
pub fn strictly(name: &'static str, shape: Shape) -> Field {
    Field { name, need: Some(Level::Strict), shape }
}

/// A field that may be absent.
#[must_use]
pub fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, need: None, shape }
}
