//! Nothing shipped is too long to read in one go.

use super::Finding;
use super::files::Tree;
use super::tokens::{Kind, Token, tokens};

const FUNCTION_LINES: usize = 80;
const FILE_LINES: usize = 600;
/// Above these we look for a second thing inside the first.
const LONG_FUNCTION_LINES: usize = 50;
const LONG_FILE_LINES: usize = 400;

/// A function of a file.
#[derive(Debug, PartialEq, Eq)]
struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

/// Every function and file over the limit.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.shipped().flat_map(|(path, text)| check_file(path, text)).collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let long = functions(text).into_iter();
    let long = long.filter(|function| function.lines > FUNCTION_LINES);
    let mut out: Vec<_> = long
        .map(|Function { name, line, lines }| {
            let message = format!("{name} has {lines} lines, {FUNCTION_LINES} are allowed");
            Finding::new(path, line, message)
        })
        .collect();
    let lines = text.lines().count();
    if lines > FILE_LINES {
        let message = format!("{lines} lines before tests, {FILE_LINES} are allowed");
        out.push(Finding::new(path, 0, message));
    }
    out
}

/// How many files and functions are on the long side, in a sentence.
pub(super) fn remark(tree: &Tree) -> String {
    let (mut files, mut long_files, mut all, mut long) = (0, 0, 0, 0);
    for (_, text) in tree.shipped() {
        files += 1;
        long_files += usize::from(text.lines().count() > LONG_FILE_LINES);
        let functions = functions(text);
        all += functions.len();
        long += functions.iter().filter(|function| function.lines > LONG_FUNCTION_LINES).count();
    }
    format!(
        "{long} of {all} functions are over {LONG_FUNCTION_LINES} lines, \
         {long_files} of {files} files over {LONG_FILE_LINES}"
    )
}

/// All functions with a body, from `fn` to the closing brace.
fn functions(text: &str) -> Vec<Function<'_>> {
    let tokens: Vec<_> =
        tokens(text).into_iter().filter(|token| token.kind == Kind::Code).collect();
    let starts = tokens.iter().enumerate().filter(|(_, token)| token.is("fn"));
    starts.filter_map(|(at, _)| function(tokens.get(at..)?)).collect()
}

fn function<'a>(tokens: &[Token<'a>]) -> Option<Function<'a>> {
    let [start, name, rest @ ..] = tokens else {
        return None;
    };
    // A function type has no name.
    if name.is("(") {
        return None;
    }
    let end = last_line(rest)?;
    Some(Function { name: name.text, line: start.line, lines: end + 1 - start.line })
}

/// The line of the brace that closes the body; `None` for a function without one.
fn last_line(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    for token in tokens {
        match token.text {
            ";" if depth == 0 => return None,
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            "}" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(token.line);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured() {
        let check = |text: &str, expected: &[(&str, usize, usize)]| {
            let got: Vec<_> = functions(text)
                .iter()
                .map(|function| (function.name, function.line, function.lines))
                .collect();
            assert_eq!(got, expected, "{text}");
        };
        check("fn a() {}", &[("a", 1, 1)]);
        check("fn a(\n  x: [u8; 2],\n) {\n}\n", &[("a", 1, 4)]);
        check("trait T { fn a(&self); fn b() {\n} }", &[("b", 1, 2)]);
        check("fn a() {\n fn b() {\n }\n}", &[("a", 1, 4), ("b", 2, 2)]);
        check("type F = fn(u8) -> u8;", &[]);
        check("fn a() { let s = \"}\"; // }\n}", &[("a", 1, 2)]);
        check("fn a() { '}'; b'{';\n}", &[("a", 1, 2)]);
        check("fn never_closed() {", &[]);
    }

    #[test]
    fn the_limits_hold() {
        let check = |text: &str, expected: &[&str]| {
            let tree = Tree::of(&[("crates/model/src/a.rs", text)]);
            let got: Vec<_> = check(&tree).iter().map(ToString::to_string).collect();
            assert_eq!(got, expected);
        };
        let body = |lines| format!("fn a() {{\n{}}}\n", "x;\n".repeat(lines));
        check(&body(78), &[]);
        check(&body(79), &["crates/model/src/a.rs:1: a has 81 lines, 80 are allowed"]);
        check(&"\n".repeat(600), &[]);
        check(
            &"\n".repeat(601),
            &["crates/model/src/a.rs: 601 lines before tests, 600 are allowed"],
        );
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(900));
        check(&tests, &[]);
    }
}
