//! The files that a shell script changes, by the commands in it that succeeded. What only a shell
//! can know, such as the files of a glob, is left out.

use super::paths::absolute;
use super::shell::{Command, Output, Word, commands};
use super::shell_run::{Run, program};

/// A change to a file, by absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// A folder was made.
    Folder(String),
    /// The file is there: a program read it.
    Read(String),
    /// The file is there; an existing one keeps its content.
    Touch(String),
    /// The file has new content.
    Write { path: String, content: Option<String> },
    /// The file has more content.
    Append { path: String, content: Option<String> },
    /// The file's content changed in an unknown way.
    Change(String),
    /// The file is gone; it may not have been there.
    Delete { path: String, is_forced: bool },
    /// Everything below the folder is gone.
    DeleteAll(String),
    /// The file was moved into the folder, or to the path.
    Move { from: String, to: String },
    /// The same for a copy.
    Copy { from: String, to: String },
    /// The file, or everything below the folder, is as it was in the last commit.
    Restore(String),
    /// Changes of others came into the repository.
    Merge,
}

/// Commands of git that bring other commits into the files.
const MERGING: [&str; 6] = ["rebase", "pull", "merge", "cherry-pick", "revert", "am"];

/// The changes that a script made, in order.
pub(super) fn effects(script: &str, folder: Option<&str>, run: Run<'_>) -> Vec<Effect> {
    let Some(all) = commands(script) else { return Vec::new() };
    let mut place = Place { folders: vec![folder.map(str::to_owned)] };
    let mut out = Vec::new();
    for (index, command) in all.iter().enumerate() {
        place.enter(command.depth);
        let has_run = run.has_done(&all, index);
        if program(command) == Some("cd") {
            place.change(command, has_run);
        } else if has_run {
            out.extend(effects_of(command, &place));
        }
        // A merge with conflicts fails, and changes files nevertheless.
        out.extend(Some(Effect::Merge).filter(|_| merges(command) && run.has_started(&all, index)));
        out.extend(written(&all, index, &place, run));
    }
    out
}

/// The working folder, for each subshell.
struct Place {
    folders: Vec<Option<String>>,
}

impl Place {
    fn enter(&mut self, depth: usize) {
        self.folders.truncate(depth + 1);
        while self.folders.len() <= depth {
            self.folders.push(self.folders.last().cloned().flatten());
        }
    }

    fn change(&mut self, command: &Command, has_run: bool) {
        let target = command.words.get(1).filter(|it| it.is_plain && it.text != "-" && has_run);
        let next = target.and_then(|it| self.path(it));
        if let Some(folder) = self.folders.last_mut() {
            *folder = next;
        }
    }

    fn path(&self, word: &Word) -> Option<String> {
        let folder = self.folders.last().and_then(Option::as_deref);
        Some(word).filter(|it| it.is_plain).and_then(|it| absolute(folder, &it.text))
    }
}

/// The files that a command's output goes to.
fn written(all: &[Command], index: usize, place: &Place, run: Run<'_>) -> Vec<Effect> {
    // The shell opens the file before it starts the program, even if that fails.
    let command = all.get(index).filter(|_| run.has_started(all, index));
    let Some(command) = command else { return Vec::new() };
    let outputs = command.outputs.iter();
    outputs.filter_map(|output| output_effect(command, output, place)).collect()
}

fn output_effect(command: &Command, output: &Output, place: &Place) -> Option<Effect> {
    let path = place.path(&output.target).filter(|it| !it.starts_with("/dev/"))?;
    let content = printed(command).filter(|_| !output.is_errors);
    Some(match output.is_appended {
        true => Effect::Append { path, content },
        false => Effect::Write { path, content },
    })
}

/// The output of a command that prints what the script has: a here-document, or plain words.
fn printed(command: &Command) -> Option<String> {
    let rest = command.words.get(1..).unwrap_or_default();
    match program(command)? {
        "cat" if rest.is_empty() => {
            command.document.as_ref().filter(|it| it.is_plain).map(|it| it.text.clone())
        }
        "echo" if rest.iter().all(|it| it.is_plain && !it.text.starts_with('-')) => {
            let words: Vec<_> = rest.iter().map(|it| it.text.as_str()).collect();
            let line = words.join(" ");
            // Some shells read escapes in it.
            (!line.contains('\\')).then(|| format!("{line}\n"))
        }
        _ => None,
    }
}

fn effects_of(command: &Command, place: &Place) -> Vec<Effect> {
    let Some(program) = program(command) else { return Vec::new() };
    let rest = command.words.get(1..).unwrap_or_default();
    match program {
        "touch" => named(rest, place).map(Effect::Touch).collect(),
        "mkdir" => named(rest, place).map(Effect::Folder).collect(),
        "rm" | "unlink" => removed(rest, place),
        "mv" => moved(rest, place, |from, to| Effect::Move { from, to }),
        "cp" | "install" => moved(rest, place, |from, to| Effect::Copy { from, to }),
        "cat" | "head" | "tail" | "wc" | "nl" => read(rest, place),
        "sed" | "gsed" if !is_in_place(rest) => after_script(rest, place, Effect::Read),
        "sed" | "gsed" | "perl" if is_in_place(rest) => after_script(rest, place, Effect::Change),
        "tee" => teed(command, rest, place),
        "truncate" => named(rest, place).map(Effect::Change).collect(),
        "git" => by_git(rest, place),
        "sudo" | "env" | "command" | "nice" => {
            let inner = Command { words: rest.to_vec(), ..command.clone() };
            effects_of(&inner, place)
        }
        _ => Vec::new(),
    }
}

fn is_option(word: &Word) -> bool {
    word.text.starts_with('-') && word.text.len() > 1
}

fn has_option(words: &[Word], letter: char, long: &str) -> bool {
    words
        .iter()
        .filter(|it| is_option(it))
        .any(|it| it.text == long || (!it.text.starts_with("--") && it.text.contains(letter)))
}

fn named<'a>(words: &'a [Word], place: &'a Place) -> impl Iterator<Item = String> + 'a {
    words.iter().filter(|it| !is_option(it)).filter_map(|it| place.path(it))
}

fn removed(words: &[Word], place: &Place) -> Vec<Effect> {
    let is_forced = has_option(words, 'f', "--force");
    let is_deep = has_option(words, 'r', "--recursive") || has_option(words, 'R', "--recursive");
    let effect = |path| match is_deep {
        true => Effect::DeleteAll(path),
        false => Effect::Delete { path, is_forced },
    };
    named(words, place).map(effect).collect()
}

/// The sources and the target of `mv` and `cp`: with several sources, the target is a folder.
fn moved(words: &[Word], place: &Place, effect: fn(String, String) -> Effect) -> Vec<Effect> {
    let plain: Vec<&Word> = words.iter().filter(|it| !is_option(it)).collect();
    let has_values = words.iter().any(|it| matches!(it.text.as_str(), "-t" | "-m" | "-o" | "-g"));
    let Some((target, sources)) = plain.split_last().filter(|_| !has_values) else {
        return Vec::new();
    };
    let is_folder = sources.len() > 1 || target.text.ends_with('/') || target.text.ends_with('.');
    let Some(to) = place.path(target) else { return Vec::new() };
    let pair = |source: &&Word| {
        let from = place.path(source)?;
        let name = from.rsplit('/').next().unwrap_or_default().to_owned();
        let to = if is_folder { format!("{to}/{name}") } else { to.clone() };
        Some(effect(from, to))
    };
    sources.iter().filter_map(pair).collect()
}

/// The files that a program printed; a number is the value of an option.
fn read(words: &[Word], place: &Place) -> Vec<Effect> {
    let is_number = |it: &&Word| it.text.trim_start_matches('+').parse::<u64>().is_ok();
    let files: Vec<Word> = words.iter().filter(|it| !is_number(it)).cloned().collect();
    named(&files, place).map(Effect::Read).collect()
}

/// Whether `sed` or `perl` changes its files.
fn is_in_place(words: &[Word]) -> bool {
    words.iter().filter(|it| is_option(it)).any(|it| {
        it.text.starts_with("--in-place") || (!it.text.starts_with("--") && it.text.contains('i'))
    })
}

/// The files of `sed` and `perl`: the words after the script.
fn after_script(words: &[Word], place: &Place, effect: fn(String) -> Effect) -> Vec<Effect> {
    let has_script = words.iter().any(|it| is_script_option(&it.text));
    let mut files = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if is_script_option(&word.text) {
            words.next();
        } else if !is_option(word) && !word.text.is_empty() {
            files.push(word);
        }
    }
    let files = files.into_iter().skip(usize::from(!has_script));
    files.filter_map(|it| place.path(it)).map(effect).collect()
}

fn is_script_option(text: &str) -> bool {
    matches!(text, "-e" | "-f" | "--expression" | "--file")
        || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('e'))
}

fn teed(command: &Command, words: &[Word], place: &Place) -> Vec<Effect> {
    let is_appended = has_option(words, 'a', "--append");
    let body = command.document.as_ref().filter(|it| it.is_plain).map(|it| it.text.clone());
    let effect = |path| match is_appended {
        true => Effect::Append { path, content: body.clone() },
        false => Effect::Write { path, content: body.clone() },
    };
    named(words, place).filter(|it| !it.starts_with("/dev/")).map(effect).collect()
}

fn merges(command: &Command) -> bool {
    let verb = command.words.get(1).map(|it| it.text.as_str());
    program(command) == Some("git") && verb.is_some_and(|it| MERGING.contains(&it))
}

fn by_git(words: &[Word], place: &Place) -> Vec<Effect> {
    let Some((verb, rest)) = words.split_first() else { return Vec::new() };
    let is_dry = rest.iter().any(|it| matches!(it.text.as_str(), "-n" | "--dry-run" | "--cached"));
    match verb.text.as_str() {
        "mv" if !is_dry => moved(rest, place, |from, to| Effect::Move { from, to }),
        "rm" if !is_dry => removed(rest, place),
        "restore" if !rest.iter().any(|it| it.text.starts_with("--s")) => restored(rest, place),
        "checkout" => match rest.iter().position(|it| it.text == "--") {
            Some(0) => restored(rest.get(1..).unwrap_or_default(), place),
            Some(_) | None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn restored(words: &[Word], place: &Place) -> Vec<Effect> {
    named(words, place).map(Effect::Restore).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, is_success: bool, output: &str, expected: &[&str]) {
        let got = effects(script, Some("/w"), Run { is_success, output });
        let got: Vec<_> = got.iter().map(|it| format!("{it:?}")).collect();
        assert_eq!(got, expected, "{script}");
    }

    #[test]
    fn what_a_script_changes_is_read_from_its_commands() {
        check("touch a b", true, "", &[r#"Touch("/w/a")"#, r#"Touch("/w/b")"#]);
        check(
            "cd src && rm -f x.rs",
            true,
            "",
            &[r#"Delete { path: "/w/src/x.rs", is_forced: true }"#],
        );
        check(
            "(cd src; rm x); rm y",
            true,
            "",
            &[
                r#"Delete { path: "/w/src/x", is_forced: false }"#,
                r#"Delete { path: "/w/y", is_forced: false }"#,
            ],
        );
        check(
            "mv a b c/",
            true,
            "",
            &[r#"Move { from: "/w/a", to: "/w/c/a" }"#, r#"Move { from: "/w/b", to: "/w/c/b" }"#],
        );
        check(
            "sed -i 's/a/b/' x && sed -i -e s/a/b/ y",
            true,
            "",
            &[r#"Change("/w/x")"#, r#"Change("/w/y")"#],
        );
        check("sed 's/i/b/' x", true, "", &[r#"Read("/w/x")"#]);
        check("head -n 3 x | wc -l", true, "", &[r#"Read("/w/x")"#]);
        check("cat a b", false, "cat: b: No such file or directory", &[]);
        check(
            "cat > a <<'E'\none\nE",
            true,
            "",
            &[r#"Write { path: "/w/a", content: Some("one\n") }"#],
        );
        check("echo hi | tee -a log", true, "", &[r#"Append { path: "/w/log", content: None }"#]);
        check("git mv a b; git rm --cached c", true, "", &[r#"Move { from: "/w/a", to: "/w/b" }"#]);
        check("git rebase main", false, "CONFLICT (content)", &["Merge"]);
        check("git merge-base main HEAD", true, "", &[]);
        check("git checkout -- a", true, "", &[r#"Restore("/w/a")"#]);
        check("rm -rf build *.log $x", true, "", &[r#"DeleteAll("/w/build")"#]);
        check("ls > /dev/null", true, "", &[]);
    }

    #[test]
    fn what_did_not_happen_is_not_claimed() {
        check("rm a", false, "rm: cannot remove 'a': No such file or directory", &[]);
        check(
            "rm a; cargo test",
            false,
            "1 failed",
            &[r#"Delete { path: "/w/a", is_forced: false }"#],
        );
        check("rm a; ls", true, "rm: cannot remove 'a'", &[]);
        check("make && rm a", false, "make: *** [x] Error 1", &[]);
        check("test -f a || touch a", true, "", &[]);
        check("if [ -f a ]; then rm a; fi", true, "", &[]);
        check("cd /nowhere; rm a", true, "bash: line 1: cd: /nowhere: No such file", &[]);
        check("git mv a b", false, "fatal: bad source, source=a", &[]);
        check("echo 'rm a'", true, "", &[]);
        check("make && (cd x; rm a)", false, "make: *** [x] Error 1", &[]);
        check("make &&\n{ ls\n rm a\n}", false, "make: *** [x] Error 1", &[]);
        check("make && for f in a b; do rm $f; done", false, "make: *** [x] Error 1", &[]);
        check("test -f a || (touch a; rm b)", true, "", &[]);
        check("set -e\nmake\nrm a", false, "make: *** [x] Error 1", &[]);
        check(
            "set -euo pipefail; cat x; make; rm a",
            false,
            "make: *** [x] Error 1",
            &[r#"Read("/w/x")"#],
        );
        check(
            "for f in a b; do rm $f; done",
            true,
            "rm: cannot remove 'a': No such file",
            &[r#"Delete { path: "/w/b", is_forced: false }"#],
        );
    }

    #[test]
    fn what_ran_before_a_failure_is_claimed() {
        let gone = r#"Delete { path: "/w/a", is_forced: false }"#;
        check("set -e\nrm a\nmake", false, "make: *** [x] Error 1", &[gone]);
        check("(rm a; make)", false, "make: *** [x] Error 1", &[gone]);
        check("set -e\nmake\nrm a", true, "", &[gone]);
        let both = [gone, r#"Delete { path: "/w/b", is_forced: false }"#];
        check("for f in a b; do rm $f; done && ls", true, "", &both);
        check("{ rm a; rm b; }; make", false, "make: *** [x] Error 1", &both);
    }
}
