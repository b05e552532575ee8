//! Shapes: a declaration of a document from which validation and JSON Schema derive.

use crate::report::Level;
use regex::Regex;

/// The shape of a value.
#[derive(Debug)]
pub enum Shape {
    /// Anything.
    Any,
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag,
    /// A string with these forms.
    Text(Vec<Form>),
    /// One of a few words.
    Word(&'static [&'static str], Level),
    /// An integer with an optional minimum.
    Whole(Option<i64>),
    /// Any number, within optional bounds.
    Number(Option<(f64, f64)>),
    /// A list of values of one shape.
    List(Box<Self>),
    /// An object with arbitrary keys and values of one shape.
    Map(Box<Self>),
    /// An object with known fields.
    Object(Object),
    /// One of several shapes with different JSON types.
    Either(Vec<Self>),
    /// One of two objects, selected by the word in one field.
    Switch(Box<Switch>),
}

/// An object with known fields.
#[derive(Debug)]
pub struct Object {
    /// Its fields.
    pub fields: Vec<Field>,
    /// How unknown fields are treated.
    pub unknown: Unknown,
}

/// How unknown fields are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// They belong to another tool and are ignored.
    Kept,
    /// A producer must not write them.
    Refused(Level),
}

/// A field of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Whether it is required.
    pub need: Option<Level>,
    /// Its shape.
    pub shape: Shape,
}

/// One of two objects.
#[derive(Debug)]
pub struct Switch {
    /// The field that selects.
    pub field: &'static str,
    /// The word that selects the first object.
    pub word: &'static str,
    /// The shape with that word.
    pub then: Shape,
    /// The shape with any other word, or none.
    pub otherwise: Shape,
}

/// The form of a string: one regular expression that is valid in Rust and in ECMAScript.
#[derive(Debug)]
pub struct Form {
    /// The last part of the rule's name.
    pub rule: &'static str,
    /// Its level.
    pub level: Level,
    /// The expression, as in the schema.
    pub pattern: &'static str,
    /// How to fix a violation.
    pub hint: &'static str,
    regex: Option<Regex>,
}

impl Form {
    /// A form with this expression.
    #[must_use]
    pub fn new(
        rule: &'static str,
        level: Level,
        pattern: &'static str,
        hint: &'static str,
    ) -> Self {
        Self { rule, level, pattern, hint, regex: Regex::new(pattern).ok() }
    }

    /// Whether a text matches. An invalid expression matches nothing; a test compiles all of them.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        self.regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl Shape {
    /// The expectation in words.
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

/// Any string.
#[must_use]
pub fn text() -> Shape {
    Shape::Text(Vec::new())
}

/// A string with one form.
#[must_use]
pub fn formed(form: Form) -> Shape {
    Shape::Text(vec![form])
}

/// One of a few words, at every strictness.
#[must_use]
pub fn word(words: &'static [&'static str]) -> Shape {
    Shape::Word(words, Level::Must)
}

/// A list.
#[must_use]
pub fn list(of: Shape) -> Shape {
    Shape::List(Box::new(of))
}

/// An object with arbitrary keys.
#[must_use]
pub fn map(of: Shape) -> Shape {
    Shape::Map(Box::new(of))
}

/// The shape, or `null`.
#[must_use]
pub fn or_null(shape: Shape) -> Shape {
    Shape::Either(vec![shape, Shape::Null])
}

/// An object that keeps unknown fields.
#[must_use]
pub fn object(fields: Vec<Field>) -> Shape {
    Shape::Object(Object { fields, unknown: Unknown::Kept })
}

/// A required field.
#[must_use]
pub fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, need: Some(Level::Must), shape }
}

/// A field that is required if strict.
#[must_use]
pub fn strictly(name: &'static str, shape: Shape) -> Field {
    Field { name, need: Some(Level::Strict), shape }
}

/// An optional field.
#[must_use]
pub fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, need: None, shape }
}
