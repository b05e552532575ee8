//! The commands of a shell script in their order, with what joins them, as far as this can be read
//! without running it.

mod lexer;
mod loops;

pub(super) use lexer::Word;
use lexer::{Token, tokens};
use loops::unrolled;

/// Words that open and close a part that runs under a condition, or several times.
const OPENING: [&str; 6] = ["if", "for", "while", "until", "case", "select"];
const CLOSING: [&str; 3] = ["fi", "done", "esac"];
/// Words before a command that do not change what it does.
const LEADING: [&str; 5] = ["then", "do", "else", "elif", "time"];
/// Shells that run a script given as a word.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// What joins a command to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Joint {
    /// It is the first, or follows `;`, `&` or the end of a line.
    #[default]
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|`.
    Pipe,
}

/// A file that a command's output goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) target: Word,
    pub(super) is_appended: bool,
    /// It takes the errors only.
    pub(super) is_errors: bool,
}

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    pub(super) outputs: Vec<Output>,
    /// The text on its standard input, if the script has it.
    pub(super) document: Option<Word>,
    pub(super) joint: Joint,
    /// It does not run under a condition, in a loop or in a function.
    pub(super) is_certain: bool,
    /// `!` inverts its result.
    pub(super) is_negated: bool,
    /// Its errors are not shown.
    pub(super) is_quiet: bool,
    /// The number of subshells around it.
    pub(super) depth: usize,
    /// The subshells and braces around it, each with a number of its own.
    pub(super) groups: Vec<usize>,
}

/// The commands of a script, in order; `None` if it cannot be read. The script of `bash -c` is read
/// in its place, and a loop over plain words is read once for each of them.
pub(super) fn commands(script: &str) -> Option<Vec<Command>> {
    let mut reader = Reader::default();
    for token in unrolled(tokens(script)?) {
        reader.token(token);
    }
    reader.end(Joint::Then);
    let wrapped = reader.found.into_iter().enumerate();
    Some(wrapped.flat_map(|(place, it)| unwrapped(it, place)).collect())
}

/// The commands that a shell runs from a word, else the command itself.
fn unwrapped(command: Command, place: usize) -> Vec<Command> {
    let inner = script_in(&command.words).and_then(|it| commands(&it));
    let Some(mut inner) = inner else { return vec![command] };
    for it in &mut inner {
        it.depth += command.depth + 1;
        it.is_certain &= command.is_certain;
        // Groups of this level are numbered from 1, so that no other is below this one.
        let outer = command.groups.iter().copied().chain([usize::MAX - place]);
        it.groups = outer.chain(it.groups.iter().copied()).collect();
    }
    if let Some(first) = inner.first_mut() {
        first.joint = command.joint;
    }
    inner
}

fn script_in(words: &[Word]) -> Option<String> {
    let [shell, options, script, ..] = words else { return None };
    let name = shell.text.rsplit('/').next().unwrap_or_default();
    let runs = options.text.starts_with('-') && options.text.ends_with('c');
    (SHELLS.contains(&name) && runs && script.is_plain).then(|| script.text.clone())
}

#[derive(Default)]
struct Reader {
    found: Vec<Command>,
    command: Command,
    /// The redirection whose target follows.
    redirection: Option<(&'static str, bool)>,
    conditions: usize,
    groups: Vec<Group>,
    opened: usize,
    has_functions: bool,
}

/// Commands in `( )` or `{ }`.
struct Group {
    number: usize,
    is_subshell: bool,
}

impl Reader {
    fn token(&mut self, token: Token) {
        match token {
            Token::Word(word) => self.word(word),
            Token::Document(body) => self.document(body),
            Token::Operator(operator) => self.operator(operator),
        }
    }

    fn word(&mut self, word: Word) {
        if let Some((operator, is_errors)) = self.redirection.take() {
            return self.redirect(operator, is_errors, word);
        }
        let is_first = self.command.words.is_empty() && !word.is_quoted;
        match word.text.as_str() {
            it if is_first && OPENING.contains(&it) => self.conditions += 1,
            it if is_first && CLOSING.contains(&it) => {
                self.conditions = self.conditions.saturating_sub(1);
            }
            it if is_first && LEADING.contains(&it) => {}
            "{" if is_first => self.open(false),
            "}" if is_first => self.close(),
            "!" if is_first => self.command.is_negated = true,
            "function" if is_first => self.has_functions = true,
            _ => self.command.words.push(word),
        }
    }

    fn redirect(&mut self, operator: &str, is_errors: bool, target: Word) {
        let is_null = target.text == "/dev/null";
        self.command.is_quiet |= is_null && (is_errors || operator.starts_with('&'));
        let is_output = matches!(operator, ">" | ">>" | ">|" | "&>" | "&>>");
        if is_output && !is_null {
            let is_appended = operator.ends_with(">>");
            self.command.outputs.push(Output { target, is_appended, is_errors });
        }
    }

    /// A here-document belongs to the last command of its line.
    fn document(&mut self, body: Word) {
        if let Some(command) = self.found.last_mut() {
            command.document = Some(body);
        }
    }

    fn operator(&mut self, operator: &'static str) {
        match operator {
            "&&" => self.end_with(Joint::And),
            "||" => self.end_with(Joint::Or),
            "|" | "|&" => self.end_with(Joint::Pipe),
            ";" | "&" | "\n" | ";;" => self.end_with(Joint::Then),
            "(" => self.open(true),
            ")" => {
                self.end_with(Joint::Then);
                self.close();
            }
            // The delimiter is not a word, and the body comes as a token of its own.
            "<<" | "<<-" => {}
            redirection => self.redirection = Some((redirection, self.takes_errors())),
        }
    }

    /// Whether the word right before is the number of the error output.
    fn takes_errors(&mut self) -> bool {
        let last = self.command.words.last().map(|it| it.text.as_str());
        let is_number = matches!(last, Some("1" | "2"));
        let is_errors = last == Some("2");
        if is_number {
            self.command.words.pop();
        }
        is_errors
    }

    fn open(&mut self, is_subshell: bool) {
        // `name()` begins a function, whose body runs later or never.
        self.has_functions |= !self.command.words.is_empty();
        let joint = self.command.joint;
        self.end(joint);
        self.opened += 1;
        self.groups.push(Group { number: self.opened, is_subshell });
    }

    fn close(&mut self) {
        self.groups.pop();
    }

    fn end_with(&mut self, next: Joint) {
        self.end(next);
    }

    fn end(&mut self, next: Joint) {
        if self.command.words.is_empty() && self.command.outputs.is_empty() {
            // A line may end after `&&`.
            if next != Joint::Then {
                self.command.joint = next;
            }
            return;
        }
        let mut command = std::mem::take(&mut self.command);
        self.command.joint = next;
        command.is_certain = self.conditions == 0 && !self.has_functions && !command.is_negated;
        command.depth = self.groups.iter().filter(|it| it.is_subshell).count();
        command.groups = self.groups.iter().map(|it| it.number).collect();
        self.found.push(command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(command: &Command) -> String {
        let words: Vec<_> = command.words.iter().map(|it| it.text.as_str()).collect();
        let sure = if command.is_certain { "" } else { " ?" };
        format!("{:?} {}{sure}", command.joint, words.join(" "))
    }

    fn check(script: &str, expected: &[&str]) {
        let got: Vec<_> = commands(script).unwrap().iter().map(shown).collect();
        assert_eq!(got, expected, "{script}");
    }

    #[test]
    fn commands_are_read_with_what_joins_them() {
        check("ls", &["Then ls"]);
        check("a && b || c; d | e &", &["Then a", "And b", "Or c", "Then d", "Pipe e"]);
        check("a 'b c' \"d\\\"e\" f\\ g # h", &["Then a b c d\"e f g"]);
        check("a > b 2>&1\nc", &["Then a", "Then c"]);
        check("if a; then b; fi; c", &["Then a ?", "Then b ?", "Then c"]);
        check("for f in *; do rm $f; done", &["Then f in * ?", "Then rm $f ?"]);
        check("a &&\n b || { c\nd\n}\n e", &["Then a", "And b", "Or c", "Then d", "Then e"]);
        check("a && { b; c; } || d", &["Then a", "And b", "Then c", "Or d"]);
        check("(cd x && make) && y", &["Then cd x", "And make", "And y"]);
        check("bash -lc 'cargo test | tail'", &["Then cargo test", "Pipe tail"]);
        check("f() { rm a; }; f", &["Then f ?", "Then rm a ?", "Then f ?"]);
        check("cat <<'E' > a.txt\nrm b\nE\nls", &["Then cat", "Then ls"]);
        check("! a", &["Then a ?"]);
        assert_eq!(commands("echo 'a"), None);
        assert_eq!(commands("echo $(a"), None);
    }

    #[test]
    fn outputs_and_documents_are_found() {
        let got = commands("cat <<'E' > a.txt\none\nE\necho b >> c 2> /dev/null").unwrap();
        assert_eq!(got[0].document.as_ref().unwrap().text, "one\n");
        assert_eq!(got[0].outputs[0].target.text, "a.txt");
        assert_eq!(
            (got[1].outputs[0].is_appended, got[1].outputs.len(), got[1].is_quiet),
            (true, 1, true)
        );
    }
}
