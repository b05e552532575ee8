//! The parser's state: the current command and word, and what ends them.

/// One command as written.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The words, without quotes.
    pub(crate) words: Vec<String>,
    /// The targets of redirections.
    pub(crate) targets: Vec<String>,
    /// Texts on its standard input.
    pub(super) fed: Vec<String>,
    /// Whether it reads the output of the command before it.
    pub(crate) is_piped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Quoting {
    #[default]
    None,
    Double,
}

/// What ends a nested text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Closer {
    #[default]
    End,
    Tick,
    /// A bracket, after this many nested ones.
    Bracket(usize),
}

/// The meaning of the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Next {
    #[default]
    Word,
    Target,
    Fed,
    Delimiter,
}

#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) command: Written,
    pub(super) word: Option<String>,
    pub(super) is_literal: bool,
    pub(super) is_braced: bool,
    pub(super) next: Next,
    pub(super) quoting: Quoting,
    pub(super) closer: Closer,
    pub(super) documents: Vec<Document>,
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) delimiter: String,
    pub(super) is_literal: bool,
}
