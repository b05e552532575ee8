//! Loops over plain words, written out: `for f in a b; do touch $f; done` becomes
//! `{ touch a; touch b; }`. Every other loop stays as it is.

use super::lexer::{Token, Variable, Word};

/// The most times that the body of a loop is written.
const MOST_WORDS: usize = 100;
/// The most tokens that all loops of a script become.
const MOST_TOKENS: usize = 10_000;
/// Words after which `done` of their own follows.
const LOOPS: [&str; 4] = ["for", "while", "until", "select"];
/// Words that end a body early, or give the variable another value.
const LEAVING: [&str; 12] = [
    "break", "continue", "exit", "return", "exec", "read", "export", "local", "declare", "unset",
    "eval", "source",
];
/// Operators after which a command begins.
const BEFORE_COMMAND: [&str; 6] = [";", "\n", "&&", "||", "(", "&"];
/// Operators that may follow a loop whose output goes nowhere else.
const AFTER_LOOP: [&str; 5] = [";", "\n", "&&", "||", ")"];

/// A loop over plain words.
struct Loop<'t> {
    name: &'t str,
    values: Vec<&'t str>,
    body: &'t [Token],
    /// The number of its tokens.
    length: usize,
}

/// The tokens with the loops over plain words written out.
pub(super) fn unrolled(tokens: Vec<Token>) -> Vec<Token> {
    let mut left = MOST_TOKENS;
    if tokens.len() > left { tokens } else { write_out(&tokens, &mut left) }
}

fn write_out(tokens: &[Token], left: &mut usize) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        let found = if begins_command(out.last()) { loop_at(rest) } else { None };
        match found.and_then(|it| Some((written(&it, left)?, it.length))) {
            Some((body, length)) => {
                out.extend(body);
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                out.push(first.clone());
                rest = after;
            }
        }
    }
    out
}

fn begins_command(before: Option<&Token>) -> bool {
    match before {
        None => true,
        Some(Token::Operator(it)) => BEFORE_COMMAND.contains(it),
        Some(Token::Word(it)) => is_keyword(it, "do") || is_keyword(it, "{"),
        Some(Token::Document(_)) => true,
    }
}

fn is_keyword(word: &Word, keyword: &str) -> bool {
    !word.is_quoted && word.text == keyword
}

fn keyword_at(tokens: &[Token], place: usize) -> Option<&str> {
    match tokens.get(place)? {
        Token::Word(it) if it.is_plain && !it.is_quoted => Some(&it.text),
        Token::Word(_) | Token::Operator(_) | Token::Document(_) => None,
    }
}

/// The loop that these tokens begin with, if its words are plain and every turn of it runs.
fn loop_at(tokens: &[Token]) -> Option<Loop<'_>> {
    let is_loop = keyword_at(tokens, 0) == Some("for") && keyword_at(tokens, 2) == Some("in");
    let name = keyword_at(tokens, 1).filter(|_| is_loop)?;
    let values: Vec<&str> = tokens.iter().skip(3).map_while(plain).collect();
    let after = 3 + values.len();
    let breaks = tokens.iter().skip(after).take_while(|it| is_break(it)).count();
    let start = after + breaks + 1;
    let begins = breaks > 0 && keyword_at(tokens, start - 1) == Some("do");
    let length = tokens.get(start..).filter(|_| begins).and_then(length_of_body)?;
    let body = tokens.get(start..start + length)?;
    let end = tokens.get(start + length + 1);
    let is_alone =
        end.is_none_or(|it| matches!(it, Token::Operator(it) if AFTER_LOOP.contains(it)));
    let is_short = values.len() <= MOST_WORDS && !body.is_empty();
    let is_whole = is_alone && is_short && !leaves(body, name);
    is_whole.then_some(Loop { name, values, body, length: start + length + 1 })
}

fn plain(token: &Token) -> Option<&str> {
    match token {
        Token::Word(it) if it.is_plain => Some(&it.text),
        Token::Word(_) | Token::Operator(_) | Token::Document(_) => None,
    }
}

fn is_break(token: &Token) -> bool {
    matches!(token, Token::Operator(";" | "\n"))
}

/// The number of tokens before the `done` that closes the loop.
fn length_of_body(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_usize;
    for place in 0..tokens.len() {
        let before = place.checked_sub(1).and_then(|it| tokens.get(it));
        match keyword_at(tokens, place).filter(|_| begins_command(before)) {
            Some("done") if depth == 0 => return Some(place),
            Some("done") => depth -= 1,
            Some(it) if LOOPS.contains(&it) => depth += 1,
            Some(_) | None => {}
        }
    }
    None
}

/// Whether a body ends early, or gives the variable another value.
fn leaves(body: &[Token], name: &str) -> bool {
    let assigned = format!("{name}=");
    let changes = |it: &Token| match it {
        Token::Word(it) => LEAVING.contains(&it.text.as_str()) || it.text.starts_with(&assigned),
        Token::Operator(_) | Token::Document(_) => false,
    };
    let is_same =
        |place| keyword_at(body, place) == Some("for") && keyword_at(body, place + 1) == Some(name);
    body.iter().any(changes) || (0..body.len()).any(is_same)
}

/// The body for each value, in braces; `None` if that is too much.
fn written(it: &Loop<'_>, left: &mut usize) -> Option<Vec<Token>> {
    *left = left.checked_sub(it.body.len() * it.values.len())?;
    let mut out = vec![bare("{")];
    for value in &it.values {
        let body: Vec<Token> =
            it.body.iter().map(|token| with_value(token, it.name, value)).collect();
        out.extend(write_out(&body, left));
        out.push(Token::Operator(";"));
    }
    out.push(bare("}"));
    Some(out)
}

fn bare(text: &str) -> Token {
    Token::Word(Word { text: text.to_owned(), is_plain: true, ..Word::default() })
}

fn with_value(token: &Token, name: &str, value: &str) -> Token {
    match token {
        Token::Word(word) => Token::Word(substituted(word, name, value)),
        // The text of a here-document stays unknown.
        Token::Operator(_) | Token::Document(_) => token.clone(),
    }
}

/// A word with the value in place of the variable.
fn substituted(word: &Word, name: &str, value: &str) -> Word {
    let piece = |from, to| word.text.get(from..to).unwrap_or_default();
    let (mut text, mut variables, mut end) = (String::new(), Vec::new(), 0);
    for it in &word.variables {
        text.push_str(piece(end, it.place.start));
        let start = text.len();
        if it.name == name && is_one_word(it, value) {
            text.push_str(value);
        } else {
            text.push_str(piece(it.place.start, it.place.end));
            variables.push(Variable { place: start..text.len(), ..it.clone() });
        }
        end = it.place.end;
    }
    text.push_str(piece(end, word.text.len()));
    let is_plain = variables.is_empty() && !word.is_unknown;
    Word { text, variables, is_plain, ..word.clone() }
}

/// Whether the shell takes the value as it is: outside of quotes it splits it and looks for patterns.
fn is_one_word(variable: &Variable, value: &str) -> bool {
    let changes = |it: char| it.is_whitespace() || "*?[\\".contains(it);
    variable.is_quoted || !(value.is_empty() || value.contains(changes))
}

#[cfg(test)]
mod tests {
    use super::super::commands;
    use proptest::prelude::*;

    /// The commands that certainly run; words that are not plain are in `<>`.
    fn check(script: &str, expected: &[&str]) {
        let all = commands(script).unwrap();
        let shown = all.iter().filter(|it| it.is_certain).map(|it| {
            let mark = |word: &super::Word| match word.is_plain {
                true => word.text.clone(),
                false => format!("<{}>", word.text),
            };
            let targets = it.outputs.iter().map(|it| format!(">{}", mark(&it.target)));
            it.words.iter().map(mark).chain(targets).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{script}");
    }

    #[test]
    fn files_made_in_a_loop_were_missing() {
        check(
            "for f in 1 2; do touch loop-$f.txt; done",
            &["touch loop-1.txt", "touch loop-2.txt"],
        );
        check("for f in a b\ndo\n  rm \"$f\"\n  ls\ndone; c", &["rm a", "ls", "rm b", "ls", "c"]);
        check("cd x && for f in a; do cp ${f}.c ${f}_2.c; done", &["cd x", "cp a.c a_2.c"]);
        check("for f in 'a b' c; do touch \"$f\"; done", &["touch a b", "touch c"]);
        check(
            "for a in 1 2; do for b in x y; do touch $a$b; done; done",
            &["touch 1x", "touch 1y", "touch 2x", "touch 2y"],
        );
        check("for f in a b; do echo $f > $f.txt; done", &["echo a >a.txt", "echo b >b.txt"]);
        check("for f in a; do cat > $f <<E\nx $f\nE\ndone\nls", &["cat >a", "ls"]);
    }

    #[test]
    fn what_a_loop_may_not_have_done_is_not_claimed() {
        check("for f in *.txt; do rm $f; done", &[]);
        check("for f in $(ls) a; do rm a; done", &[]);
        check("for f in {1..3}; do touch $f; done", &[]);
        check("for f; do rm a; done", &[]);
        check("for ((i=0; i<3; i++)); do touch $i; done; ls", &["ls"]);
        check("for f in a b; do rm $f; break; done", &[]);
        check("for f in a b; do f=c; rm $f; done", &[]);
        check("for f in a b; do if x; then rm $f; fi; done; ls", &["ls"]);
        check("for f in a b; do touch $f; done | sort", &["sort"]);
        check("for f in a b; do echo $f > $f; done > all.txt", &[">all.txt"]);
        check("while x; do for f in a b; do rm $f; done; done", &[]);
        check(
            "for f in a 'b c'; do touch $f '$f' $g ${f%x}; done",
            &["touch a $f <$g> <${f%x}>", "touch <$f> $f <$g> <${f%x}>"],
        );
        check("for f in a; do touch $fx \\$f; done", &["touch <$fx> $f"]);
        check("touch for f in a; do rm b; done", &["touch for f in a", "rm b"]);
        check("for f in a; do rm b", &[]);
    }

    #[test]
    fn loops_that_multiply_are_bounded() {
        let words = "x ".repeat(100);
        let open: String = (0..20).map(|it| format!("for v{it} in {words}; do ")).collect();
        let script = format!("{open} touch $v1 {}", "; done".repeat(20));
        assert!(commands(&script).unwrap().len() < 10_000);
    }

    proptest! {
        /// A loop over words is the same as its body written for each of them.
        #[test]
        fn a_loop_is_its_body_once_for_each_word(
            words in prop::collection::vec("[a-z0-9./_-]{1,6}", 0..6),
            body in prop::collection::vec("(touch|rm|mv|echo) [a-z ]{0,6}@[a-z]{0,3}", 1..4),
        ) {
            let line = |value: &str| body.join("; ").replace('@', value);
            let looped = format!("for f in {}; do {}; done", words.join(" "), line("${f}"));
            let written: Vec<_> = words.iter().map(|it| line(it)).collect();
            let texts = |script: &str| -> Vec<Vec<String>> {
                let all = commands(script).unwrap().into_iter();
                all.map(|it| it.words.into_iter().map(|it| it.text).collect()).collect()
            };
            prop_assert_eq!(texts(&looped), texts(&written.join("; ")));
        }
    }
}
