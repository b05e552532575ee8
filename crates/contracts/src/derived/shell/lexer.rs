//! Splits shell text into words and operators. A word that a shell would expand is marked, because
//! its value is unknown.

use std::iter::Peekable;
use std::ops::Range;
use std::str::Chars;

/// The operators, the longest first.
const OPERATORS: [&str; 22] = [
    "<<<", "<<-", "&>>", "&&", "||", ";;", "|&", "<<", ">>", "&>", ">&", "<&", "<>", ">|", ";",
    "&", "|", "(", ")", "<", ">", "\n",
];

/// A word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// The text without its quotes.
    pub(crate) text: String,
    /// A shell would not expand it.
    pub(crate) is_plain: bool,
    /// Some of it is quoted.
    pub(crate) is_quoted: bool,
    /// The variables in the text, in order.
    pub(super) variables: Vec<Variable>,
    /// Something else would be expanded: a pattern, a command, a variable with an operation.
    pub(super) is_unknown: bool,
}

/// The place of `$name` or `${name}` in a word's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) place: Range<usize>,
    /// It is in double quotes, so that its value stays one word.
    pub(super) is_quoted: bool,
}

/// A word, an operator, or the body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    Operator(&'static str),
    Document(Word),
}

/// The tokens of a text; `None` if a quote or a bracket is not closed.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut lexer =
        Lexer { rest: text.chars().peekable(), word: None, out: Vec::new(), awaited: Vec::new() };
    while let Some(it) = lexer.rest.next() {
        lexer.take(it)?;
    }
    lexer.end_word();
    Some(lexer.out)
}

struct Lexer<'t> {
    rest: Peekable<Chars<'t>>,
    word: Option<Word>,
    out: Vec<Token>,
    /// The delimiters of here-documents whose bodies follow the line.
    awaited: Vec<(Word, bool)>,
}

impl Lexer<'_> {
    fn take(&mut self, it: char) -> Option<()> {
        match it {
            ' ' | '\t' | '\r' => self.end_word(),
            '#' if self.word.is_none() => self.skip_comment(),
            '\\' => self.escape(),
            '\'' => self.single_quoted()?,
            '"' => self.double_quoted()?,
            '$' | '`' => self.expansion(it, false)?,
            '*' | '?' | '[' => self.expanded(it),
            '~' if self.word.is_none() => self.expanded(it),
            '{' if self.word.is_some() || !self.is_before_space() => self.expanded(it),
            '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => self.operator(it)?,
            _ => self.word().text.push(it),
        }
        Some(())
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_with(|| Word { is_plain: true, ..Word::default() })
    }

    fn is_before_space(&mut self) -> bool {
        self.rest.peek().is_none_or(|it| it.is_whitespace())
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.out.push(Token::Word(word));
        }
    }

    fn expanded(&mut self, it: char) {
        let word = self.word();
        word.text.push(it);
        (word.is_plain, word.is_unknown) = (false, true);
    }

    fn skip_comment(&mut self) {
        while self.rest.peek().is_some_and(|it| *it != '\n') {
            self.rest.next();
        }
    }

    fn escape(&mut self) {
        match self.rest.next() {
            None | Some('\n') => {}
            Some(it) => self.word().text.push(it),
        }
    }

    fn single_quoted(&mut self) -> Option<()> {
        self.word().is_quoted = true;
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                it => self.word().text.push(it),
            }
        }
    }

    fn double_quoted(&mut self) -> Option<()> {
        self.word().is_quoted = true;
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '\\' => self.escape_in_quotes(),
                it @ ('$' | '`') => self.expansion(it, true)?,
                it => self.word().text.push(it),
            }
        }
    }

    /// Inside double quotes, a backslash is itself before most characters.
    fn escape_in_quotes(&mut self) {
        match self.rest.next() {
            None | Some('\n') => {}
            Some(it @ ('"' | '\\' | '$' | '`')) => self.word().text.push(it),
            Some(it) => self.word().text.extend(['\\', it]),
        }
    }

    fn expansion(&mut self, it: char, is_quoted: bool) -> Option<()> {
        let name = if it == '$' { self.variable_ahead() } else { None };
        if let Some((name, written)) = name {
            self.variable(name, &written, is_quoted);
            return Some(());
        }
        self.expanded(it);
        let next = self.rest.peek().copied();
        match (it, next) {
            ('`', _) => self.until('`'),
            (_, Some('(')) => self.until_closed('(', ')'),
            (_, Some('{')) => self.until_closed('{', '}'),
            (_, _) => Some(()),
        }
    }

    /// The name after `$`, plain or in braces, and how it is written.
    fn variable_ahead(&self) -> Option<(String, String)> {
        let mut ahead = self.rest.clone();
        let is_braced = ahead.next_if_eq(&'{').is_some();
        let is_name = |it: &char| it.is_ascii_alphanumeric() || *it == '_';
        let name: String = std::iter::from_fn(|| ahead.next_if(is_name)).collect();
        let is_valid = !name.is_empty() && !name.starts_with(|it: char| it.is_ascii_digit());
        match is_braced {
            _ if !is_valid => None,
            true => ahead.next_if_eq(&'}').map(|_| (name.clone(), format!("{{{name}}}"))),
            false => Some((name.clone(), name)),
        }
    }

    fn variable(&mut self, name: String, written: &str, is_quoted: bool) {
        for _ in written.chars() {
            self.rest.next();
        }
        let word = self.word();
        let start = word.text.len();
        word.text.push('$');
        word.text.push_str(written);
        word.is_plain = false;
        let place = start..word.text.len();
        word.variables.push(Variable { name, place, is_quoted });
    }

    fn until(&mut self, end: char) -> Option<()> {
        loop {
            let it = self.rest.next()?;
            self.word().text.push(it);
            if it == end {
                return Some(());
            }
        }
    }

    fn until_closed(&mut self, open: char, close: char) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            let it = self.rest.next()?;
            self.word().text.push(it);
            if it == open {
                depth += 1;
            } else if it == close {
                depth = depth.checked_sub(1)?;
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn operator(&mut self, first: char) -> Option<()> {
        let ahead: String = std::iter::once(first).chain(self.rest.clone().take(2)).collect();
        let found = OPERATORS.into_iter().find(|it| ahead.starts_with(*it))?;
        if matches!(found, "<" | ">") && self.rest.peek() == Some(&'(') {
            // The name of a process substitution is unknown.
            self.expanded(first);
            return self.until_closed('(', ')');
        }
        for _ in found.chars().skip(1) {
            self.rest.next();
        }
        self.end_word();
        self.out.push(Token::Operator(found));
        match found {
            "<<" | "<<-" => self.await_document(found),
            "\n" => self.read_documents(),
            _ => {}
        }
        Some(())
    }

    /// Reads the delimiter after `<<`.
    fn await_document(&mut self, operator: &str) {
        while self.rest.peek().is_some_and(|it| matches!(it, ' ' | '\t')) {
            self.rest.next();
        }
        while let Some(it) = self.rest.next_if(|it| !it.is_whitespace() && !";&|)<>".contains(*it))
        {
            if self.take(it).is_none() {
                break;
            }
        }
        let delimiter = self.word.take().unwrap_or_default();
        self.awaited.push((delimiter, operator == "<<-"));
    }

    fn read_documents(&mut self) {
        for (delimiter, is_stripped) in std::mem::take(&mut self.awaited) {
            let mut body = String::new();
            while self.rest.peek().is_some() {
                let line: String = self.rest.by_ref().take_while(|it| *it != '\n').collect();
                let line = if is_stripped { line.trim_start_matches('\t') } else { &line };
                if line == delimiter.text {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let is_plain = delimiter.is_quoted || !body.contains(['$', '`', '\\']);
            self.out.push(Token::Document(Word { text: body, is_plain, ..Word::default() }));
        }
    }
}
