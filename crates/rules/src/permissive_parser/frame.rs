//! What the reader knows while it reads: the command and the word it is in, and what ends them.

/// One command as it is written.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Its words, without quotes.
    pub(crate) words: Vec<String>,
    /// Where its input or output goes.
    pub(crate) targets: Vec<String>,
    /// Texts it is given to read.
    pub(super) fed: Vec<String>,
    /// It reads what the command before it prints.
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
    /// A bracket, after so many that were opened inside.
    Bracket(usize),
}

/// What the next word is.
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
