//! Splits shell text into the commands written in it, without assuming that it is well formed. It
//! also finds commands in substitutions; nesting uses a heap-allocated stack instead of recursion.

use super::frame::{Closer, Document, Frame, Next, Quoting, Written};
use std::str::Chars;

/// Replaces the result of a substitution in a word.
pub(crate) const GIVEN: &str = "$()";
/// The deepest nesting of texts that is read.
const DEEPEST: usize = 6;

/// The commands of a text, in order.
pub(super) fn read(text: &str) -> Vec<Written> {
    read_inside(text, Quoting::None, 0)
}

fn read_inside(text: &str, quoting: Quoting, depth: usize) -> Vec<Written> {
    let mut reader = Reader {
        rest: text.chars(),
        frame: Frame { quoting, ..Frame::default() },
        outer: Vec::new(),
        found: Vec::new(),
        line_begins: 0,
        depth,
    };
    while let Some(it) = reader.rest.next() {
        match reader.frame.quoting {
            Quoting::None => reader.bare(it),
            Quoting::Double => reader.double(it),
        }
    }
    while reader.close() {}
    // The rest of a quoted text is plain text.
    if quoting == Quoting::None {
        reader.end_command();
    }
    reader.found
}

struct Reader<'a> {
    rest: Chars<'a>,
    frame: Frame,
    outer: Vec<Frame>,
    found: Vec<Written>,
    line_begins: usize,
    depth: usize,
}

impl Reader<'_> {
    fn bare(&mut self, it: char) {
        match it {
            ' ' | '\t' | '\r' => self.end_word(),
            '\n' => self.end_line(),
            ';' => self.end_command(),
            '&' => self.ampersand(),
            '|' => self.pipe(),
            '(' => self.open_group(),
            ')' => self.close_group(),
            '#' if self.frame.word.is_none() => self.skip_comment(),
            '\\' => self.escaped(),
            '\'' => self.single(),
            '"' => self.begin_double(),
            '$' => self.dollar(),
            '`' => self.tick(),
            '<' => self.input(),
            '>' => self.output(),
            '{' if self.frame.word.is_none() => {
                self.frame.is_braced = true;
                self.push(it);
            }
            _ => self.push(it),
        }
    }

    fn double(&mut self, it: char) {
        match it {
            '"' if self.frame.closer != Closer::End || self.depth == 0 => {
                self.frame.quoting = Quoting::None;
            }
            '\\' => self.escaped(),
            '$' => self.dollar(),
            '`' => self.tick(),
            _ => self.push(it),
        }
    }

    fn push(&mut self, it: char) {
        self.frame.word.get_or_insert_default().push(it);
    }

    fn begin_double(&mut self) {
        self.frame.quoting = Quoting::Double;
        self.literal();
    }

    /// The current word, marked as a word even if it is empty, and as not entirely plain.
    fn literal(&mut self) -> &mut String {
        self.frame.is_literal = true;
        self.frame.word.get_or_insert_default()
    }

    fn take(&mut self, text: &str) -> bool {
        let Some(after) = self.rest.as_str().strip_prefix(text) else {
            return false;
        };
        self.rest = after.chars();
        true
    }

    fn escaped(&mut self) {
        match self.rest.next() {
            None | Some('\n') => {}
            Some(it) => self.literal().push(it),
        }
    }

    fn single(&mut self) {
        let text: String = self.rest.by_ref().take_while(|it| *it != '\'').collect();
        self.literal().push_str(&text);
    }

    fn skip_comment(&mut self) {
        let rest = self.rest.as_str();
        let comment = rest.find('\n').unwrap_or(rest.len());
        self.rest = rest.get(comment..).unwrap_or_default().chars();
    }

    fn dollar(&mut self) {
        let is_bare = self.frame.quoting == Quoting::None;
        if self.take("(") {
            self.open(Closer::Bracket(0));
        } else if self.take("{IFS}") || self.take_name("IFS") {
            match is_bare {
                true => self.end_word(),
                false => self.push(' '),
            }
        } else if is_bare && self.take("'") {
            let text = self.coded();
            self.literal().push_str(&text);
        } else if is_bare && self.take("\"") {
            self.begin_double();
        } else {
            self.push('$');
        }
    }

    /// Consumes a name that ends here.
    fn take_name(&mut self, name: &str) -> bool {
        let after = self.rest.as_str().strip_prefix(name);
        let ends = |it: &str| !it.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
        after.is_some_and(ends) && self.take(name)
    }

    /// A literal in which characters may be written as numeric escapes.
    fn coded(&mut self) -> String {
        let mut out = String::new();
        while let Some(it) = self.rest.next().filter(|it| *it != '\'') {
            match it {
                '\\' => out.extend(self.code()),
                _ => out.push(it),
            }
        }
        out
    }

    fn code(&mut self) -> Option<char> {
        let (radix, most) = match self.rest.as_str().chars().next()? {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => (8, 3),
            _ => return self.rest.next(),
        };
        if radix == 16 {
            self.rest.next();
        }
        let rest = self.rest.as_str();
        let digits: String = rest.chars().take(most).take_while(|it| it.is_digit(radix)).collect();
        self.rest = rest.get(digits.len()..).unwrap_or_default().chars();
        char::from_u32(u32::from_str_radix(&digits, radix).ok()?)
    }

    fn tick(&mut self) {
        match self.frame.closer {
            Closer::Tick => {
                self.close();
            }
            Closer::End | Closer::Bracket(_) => self.open(Closer::Tick),
        }
    }

    fn open_group(&mut self) {
        self.end_command();
        if let Closer::Bracket(opened) = &mut self.frame.closer {
            *opened += 1;
        }
    }

    fn close_group(&mut self) {
        match &mut self.frame.closer {
            Closer::Bracket(0) => {
                self.close();
                return;
            }
            Closer::Bracket(opened) => *opened -= 1,
            Closer::End | Closer::Tick => {}
        }
        self.end_command();
    }

    fn open(&mut self, closer: Closer) {
        let inner = Frame { closer, ..Frame::default() };
        self.outer.push(std::mem::replace(&mut self.frame, inner));
    }

    fn close(&mut self) -> bool {
        self.end_command();
        let Some(outer) = self.outer.pop() else {
            return false;
        };
        self.frame = outer;
        self.literal().push_str(GIVEN);
        true
    }

    fn ampersand(&mut self) {
        if self.take(">") {
            return self.output();
        }
        self.end_command();
    }

    fn pipe(&mut self) {
        self.end_command();
        let is_or = self.take("|");
        self.take("&");
        self.frame.command.is_piped = !is_or;
    }

    fn input(&mut self) {
        self.end_number();
        if self.take("(") {
            return self.open(Closer::Bracket(0));
        }
        self.end_word();
        self.frame.next = if self.take("<<") {
            Next::Fed
        } else if self.take("<-") || self.take("<") {
            Next::Delimiter
        } else {
            self.take_either(&["&", ">"]);
            Next::Target
        };
    }

    fn output(&mut self) {
        self.end_number();
        if self.take("(") {
            return self.open(Closer::Bracket(0));
        }
        self.end_word();
        self.take_either(&[">", "&", "|"]);
        self.frame.next = Next::Target;
    }

    fn take_either(&mut self, texts: &[&str]) {
        let _ = texts.iter().any(|it| self.take(it));
    }

    /// A number right before a redirection is not a word.
    fn end_number(&mut self) {
        let is_digit = |it: char| it.is_ascii_digit();
        if self.frame.word.as_ref().is_some_and(|it| it.chars().all(is_digit)) {
            self.frame.word = None;
        }
    }

    fn end_word(&mut self) {
        let is_literal = std::mem::take(&mut self.frame.is_literal);
        let is_braced = std::mem::take(&mut self.frame.is_braced);
        let Some(word) = self.frame.word.take() else {
            return;
        };
        let command = &mut self.frame.command;
        match std::mem::take(&mut self.frame.next) {
            Next::Word if is_braced => command.words.extend(unfolded(&word)),
            Next::Word => command.words.push(word),
            Next::Target => command.targets.push(word),
            Next::Fed => command.fed.push(word),
            Next::Delimiter => {
                self.frame.documents.push(Document { delimiter: word, is_literal });
            }
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        let command = std::mem::take(&mut self.frame.command);
        if !command.words.is_empty() || !command.targets.is_empty() {
            self.found.push(command);
        }
    }

    fn end_line(&mut self) {
        self.end_command();
        for document in std::mem::take(&mut self.frame.documents) {
            let body = self.body(&document.delimiter);
            if !document.is_literal && self.depth < DEEPEST {
                self.found.extend(read_inside(&body, Quoting::Double, self.depth + 1));
            }
            for command in self.found.iter_mut().skip(self.line_begins) {
                command.fed.push(body.clone());
            }
        }
        self.line_begins = self.found.len();
    }

    /// The lines before the delimiter.
    fn body(&mut self, delimiter: &str) -> String {
        let mut body = String::new();
        let mut rest = self.rest.as_str();
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            rest = after;
            if line.trim_start_matches('\t') == delimiter {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        self.rest = rest.chars();
        body
    }
}

/// Expands `{a,b}` into its words.
fn unfolded(word: &str) -> Vec<String> {
    let inner = word.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    match inner.filter(|it| it.contains(',')) {
        Some(inner) => inner.split(',').map(str::to_owned).collect(),
        None => vec![word.to_owned()],
    }
}
