//! Real shells read every allowed command as we do. The test generates random commands, damages
//! them at random, and gives those that are still plain to `sh`, `bash` and `zsh`, which can run
//! only one harmless program. That program records its arguments.
//!
//! `TAFFRAIL_FULL=1` tries eight thousand commands, `TAFFRAIL_SEED` selects them.
#![expect(
    clippy::disallowed_methods,
    reason = "the crate is pure, the shells it is compared with are real"
)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests fail the test they help"
)]

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use taffrail_rules::plain_commands;
use taffrail_testkit::{Chance, Scale};

/// The command line of each shell: without any user settings.
const SHELLS: &[(&str, &[&str])] =
    &[("sh", &[]), ("bash", &["--norc", "--noprofile"]), ("bash", &["--posix"]), ("zsh", &["-f"])];

/// First words that are programs in every shell, or in none.
const PROGRAMS: &[&str] = &[
    "cargo", "git", "x", "a.b", "a-b", "a_b", "a:b", "a,b", "a+b", "a@b", "a%b", "+a", "@", "0",
    "12", "./tool", "in/tool",
];

const WORDS: &[&str] = &[
    "test",
    "-p",
    "--all",
    "a=b",
    "--a=b",
    "a==b",
    "a:=b",
    "x%",
    "a%b",
    "-",
    "--",
    "-1",
    "+x",
    ".",
    "..",
    "./x",
    "/",
    "//",
    ":",
    ",",
    "@",
    "if",
    "then",
    "fi",
    "do",
    "done",
    "in",
    "time",
    "coproc",
    "select",
    "a:b",
    "1",
    "12",
    "''",
    "' '",
    "'a b'",
    "'$x'",
    "'$(x)'",
    "'`x`'",
    "'*'",
    "'~'",
    "'#'",
    "'!'",
    "'!!'",
    "'\"'",
    "'=x'",
    "'%1'",
    "';'",
    "'&&'",
    "'f\u{fc}r'",
    "'\u{104}\u{1f6}'",
    "'{a,b}'",
    "'a;b&c|d'",
    "'<x'",
    "'>x'",
    "HEAD..main",
    "u@h:p",
    "a,b",
    "A=1",
    "PATH=x",
    "-a-b",
    "a+=b",
];

const JOINTS: &[&str] = &[" && ", " || ", " ; ", "&&", "||", ";", "; ", " &&"];

/// Characters that damage inserts.
const DAMAGE: &str =
    " \t\n\r'\"\\$`()[]{}<>|&;*?!~#^=%-+.:,@/aAzZ09_\0\u{1}\u{7f}\u{85}\u{a0}\u{2028}\u{fc}";

/// The program behind every first word. It records its name and its arguments.
const PROGRAM: &str = "#!/bin/sh\n{ printf '%s\\0' \"${0##*/}\" \"$@\"; printf '\\1'; } >> \"$SAID\"\nexit \"$STATUS\"\n";

/// The number of commands per shell process.
const BATCH: usize = 50;

type Argv = Vec<String>;

fn command(chance: &mut Chance) -> String {
    let words = (0..chance.below(4)).map(|_| *chance.pick(WORDS)).collect::<Vec<_>>();
    [vec![*chance.pick(PROGRAMS)], words].concat().join(" ")
}

fn text(chance: &mut Chance) -> String {
    let mut out = command(chance);
    for _ in 0..chance.below(3) {
        out += *chance.pick(JOINTS);
        out += &command(chance);
    }
    for _ in 0..chance.below(3) {
        damage(&mut out, chance);
    }
    out
}

fn damage(text: &mut String, chance: &mut Chance) {
    let mut characters: Vec<char> = text.chars().collect();
    if characters.len() < 2 {
        return;
    }
    let at = chance.below(characters.len());
    let with: Vec<char> = DAMAGE.chars().collect();
    match chance.below(4) {
        0 => drop(characters.splice(at..at, [with[chance.below(with.len())]])),
        1 => characters[at] = with[chance.below(with.len())],
        2 => drop(characters.remove(at)),
        _ => characters.truncate(at.max(1)),
    }
    *text = characters.into_iter().collect();
}

/// The operator before each command, or nothing.
fn joints(text: &str) -> Vec<&'static str> {
    let mut out = vec![""];
    let mut rest = text;
    while let Some(it) = rest.chars().next() {
        let step = match it {
            '\'' => rest[1..].find('\'').unwrap() + 2,
            '&' => 2,
            '|' => 2,
            _ => it.len_utf8(),
        };
        match it {
            '&' => out.push("&&"),
            '|' => out.push("||"),
            ';' => out.push(";"),
            _ => {}
        }
        rest = &rest[step..];
    }
    out
}

/// The commands that we expect to run if every one exits with this status.
fn expected(text: &str, commands: &[Argv], status: u8) -> Vec<Argv> {
    let skipped = if status == 0 { "||" } else { "&&" };
    let named = |it: &Argv| {
        let name = it[0].rsplit('/').next().unwrap().to_owned();
        [vec![name], it[1..].to_vec()].concat()
    };
    let runs = joints(text).into_iter().zip(commands).filter(|(joint, _)| *joint != skipped);
    runs.map(|(_, it)| named(it)).collect()
}

struct Bench {
    folder: tempfile::TempDir,
    builtins: BTreeSet<String>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for below in ["bin", "here/in"] {
            fs::create_dir_all(path.join(below)).unwrap();
        }
        fs::write(path.join("program"), PROGRAM).unwrap();
        fs::set_permissions(path.join("program"), Permissions::from_mode(0o755)).unwrap();
        for below in ["here/tool", "here/in/tool"] {
            symlink(path.join("program"), path.join(below)).unwrap();
        }
        Self { folder, builtins: Self::builtins() }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// Shell builtins, which are not run here.
    fn builtins() -> BTreeSet<String> {
        let asked =
            [("bash", "compgen -b; compgen -k"), ("zsh", "print -l ${(k)builtins} ${(k)reswords}")];
        let dash = "alias bg break cd chdir command continue echo eval exec exit export false fg getopts hash jobs kill \
                    local printf pwd read readonly return set shift test times trap true type ulimit umask unalias unset \
                    wait .";
        let mut all: BTreeSet<String> = dash.split_whitespace().map(str::to_owned).collect();
        for (shell, script) in asked {
            let out = Command::new(shell).args(["-c", script]).output().unwrap();
            assert!(out.status.success(), "{shell} is missing");
            all.extend(String::from_utf8(out.stdout).unwrap().lines().map(str::to_owned));
        }
        all
    }

    /// Makes every first word the harmless program; `false` if that is impossible.
    fn prepare(&self, commands: &[Argv]) -> bool {
        commands.iter().all(|command| {
            let first = &command[0];
            if first.contains('/') {
                return ["./tool", "in/tool"].contains(&first.as_str());
            }
            let is_name = first.len() < 100 && ![".", ".."].contains(&first.as_str());
            let path = self.path("bin").join(first);
            is_name
                && !self.builtins.contains(first)
                && (path.exists() || symlink(self.path("program"), path).is_ok())
        })
    }

    /// What a shell runs for each of these texts.
    fn run(&self, (shell, options): (&str, &[&str]), texts: &[&str], status: u8) -> Vec<Vec<Argv>> {
        let (script, said) = (self.path("script"), self.path("said"));
        let lines = texts.iter().map(|it| format!("{it}\nprintf '\\2' >> \"$SAID\"\n"));
        fs::write(&script, lines.collect::<String>()).unwrap();
        fs::write(&said, "").unwrap();
        let mut command = Command::new(real(shell));
        command.args(options).arg(&script).env_clear().current_dir(self.path("here"));
        command.env("PATH", self.path("bin")).env("SAID", &said).env("STATUS", status.to_string());
        command
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().unwrap();
        let said = fs::read_to_string(&said).unwrap();
        said.split_terminator('\u{2}').map(runs_of).collect()
    }

    /// Only the files that we put there.
    fn files(&self) -> Vec<String> {
        let mut out: Vec<String> = names(&self.path("here"));
        out.extend(names(&self.path("here/in")));
        out
    }
}

fn runs_of(text: &str) -> Vec<Argv> {
    let words = |it: &str| it.split_terminator('\0').map(str::to_owned).collect();
    text.split_terminator('\u{1}').map(words).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut out: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    out.sort();
    out
}

fn real(shell: &str) -> PathBuf {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .iter()
        .map(|it| Path::new(it).join(shell))
        .find(|it| it.exists())
        .unwrap_or_else(|| PathBuf::from(shell))
}

#[test]
fn no_allowed_command_is_read_differently_by_real_shells() {
    let scale = Scale::from_env();
    let mut chance = scale.chance("shells");
    let bench = Bench::new();
    let before = bench.files();
    let (wanted, mut tried, mut given) = (scale.pick(300, 8_000), 0, 0);
    while given < wanted {
        let mut batch: Vec<(String, Vec<Argv>)> = Vec::new();
        while batch.len() < BATCH {
            tried += 1;
            assert!(tried < wanted * 100, "only {given} of {tried} were plain");
            let text = text(&mut chance);
            if let Ok(commands) = plain_commands(&text)
                && bench.prepare(&commands)
            {
                batch.push((text, commands));
            }
        }
        given += batch.len();
        compare(&bench, &batch);
    }
    assert_eq!(bench.files(), before, "something was written");
    println!("{given} plain commands of {tried}, in {} shells, read alike", SHELLS.len());
}

fn compare(bench: &Bench, batch: &[(String, Vec<Argv>)]) {
    let texts: Vec<&str> = batch.iter().map(|(text, _)| text.as_str()).collect();
    for status in [0, 1] {
        let ours: Vec<Vec<Argv>> =
            batch.iter().map(|(text, commands)| expected(text, commands, status)).collect();
        for shell in SHELLS {
            let theirs = bench.run(*shell, &texts, status);
            for (at, text) in texts.iter().enumerate() {
                assert_eq!(theirs.get(at), Some(&ours[at]), "{shell:?} reads {text:?} differently");
            }
        }
    }
}

#[test]
fn the_bench_would_notice() {
    let bench = Bench::new();
    let argv = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Argv>();
    assert!(bench.prepare(&[argv(&["cargo"]), argv(&["git"])]));
    let texts =
        ["cargo '' a", "cargo =git", "cargo a && git b || cargo c", "cargo $X", "cargo {a,b}"];
    let run = |shell: usize, status| bench.run(SHELLS[shell], &texts, status);
    let joined = vec![argv(&["cargo", "a"]), argv(&["git", "b"])];
    let sh = run(0, 0);
    assert_eq!(sh[0], [argv(&["cargo", "", "a"])]);
    assert_eq!(sh[1], [argv(&["cargo", "=git"])]);
    assert_eq!(sh[2], joined);
    assert_eq!(sh[4], [argv(&["cargo", "{a,b}"])]);
    assert_eq!(run(0, 1)[2], [argv(&["cargo", "a"]), argv(&["cargo", "c"])]);
    let zsh = run(3, 0);
    let found = bench.path("bin/git").to_string_lossy().into_owned();
    assert_eq!(zsh[1], [argv(&["cargo", &found])]);
    assert_eq!(zsh[4], [argv(&["cargo", "a", "b"])]);
    // The shells agree on plain commands; the other texts are not plain.
    let plain: Vec<bool> = texts.iter().map(|it| plain_commands(it).is_ok()).collect();
    assert_eq!(plain, [true, false, true, false, false]);
}
