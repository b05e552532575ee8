//! The name of a process: the program that a person would name, not the interpreter that runs it.

/// The kernel truncates a name to this length.
const SHORT_CHARS: usize = 15;
/// The longest name that is kept, in characters.
const NAME_CHARS: usize = 64;
/// Interpreters, by the beginning of their names.
const INTERPRETERS: [&str; 8] =
    ["node", "MainThread", "bun", "deno", "python", "ruby", "perl", "npm exec"];
/// File names that do not identify their program.
const NAMELESS: [&str; 8] =
    ["index", "main", "__main__", "cli", "app", "start", "entrypoint", "bin"];

/// The best name of a program, from the kernel's short name and the command line.
pub(super) fn best(short: &str, words: &[&str]) -> String {
    let name = match words.split_first() {
        Some((_, rest)) if is_interpreter(short) => script(rest).unwrap_or(short),
        // A version is not a name, and a name of the full length may be truncated.
        Some((program, _)) if is_version(short) || is_cut(short, program) => file_name(program),
        Some(_) | None => short,
    };
    name.chars().filter(|it| !it.is_control()).take(NAME_CHARS).collect()
}

pub(super) fn is_interpreter(short: &str) -> bool {
    INTERPRETERS.iter().any(|it| short.starts_with(it))
}

fn is_version(short: &str) -> bool {
    short.starts_with(|it: char| it.is_ascii_digit())
        && short.chars().all(|it| it.is_ascii_digit() || it == '.' || it == '-')
}

fn is_cut(short: &str, program: &str) -> bool {
    short.len() >= SHORT_CHARS && file_name(program).starts_with(short)
}

/// The program that an interpreter runs: the first argument that is not an option.
fn script<'a>(words: &[&'a str]) -> Option<&'a str> {
    let path = words.iter().find(|it| !it.starts_with('-'))?;
    let stem = stem(file_name(path));
    if NAMELESS.contains(&stem) { package(path).or(Some(stem)) } else { Some(stem) }
}

/// The npm package of a file.
fn package(path: &str) -> Option<&str> {
    let (_, inside) = path.rsplit_once("node_modules/")?;
    inside.split('/').find(|it| !it.starts_with('@'))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(name: &str) -> &str {
    let endings = [".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".pl"];
    endings.iter().find_map(|it| name.strip_suffix(it)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_the_name_of_its_program() {
        let check = |short: &str, words: &[&str], expected: &str| {
            assert_eq!(best(short, words), expected, "{short} {words:?}");
        };
        check("claude", &["claude", "--resume"], "claude");
        check("node", &["node", "/usr/bin/gemini", "-y"], "gemini");
        check("MainThread", &["node", "--no-warnings", "/usr/bin/gemini"], "gemini");
        check("node", &["node", "/x/node_modules/@openai/codex/bin/codex.js"], "codex");
        check("node", &["node", "/x/node_modules/@a/claude-code/cli.js"], "claude-code");
        check("node", &["node", "/srv/index.js"], "index");
        check("node", &["node"], "node");
        check("2.1.39", &["/home/x/.local/bin/claude"], "claude");
        check("a-very-long-nam", &["/bin/a-very-long-name"], "a-very-long-name");
        check("python3.12", &["python3", "-u", "/opt/aider"], "aider");
        check("zsh", &["-zsh"], "zsh");
        check("kthreadd", &[], "kthreadd");
        check("a\nb", &[], "ab");
    }
}
