//! Estimates the risk of a request. It is a hint for readers, never a decision, and only reads the
//! text.

use super::control::controls;
use super::paths::goes_through;
use super::permissive_parser::{self, GIVEN, SHELLS, Written, commands_in};
use super::request::Request;
use super::risk_table::{ELSEWHERE, RiskLevel, SECRETS, SIGNS, SYSTEM, Sign, WRITERS};
use std::path::{Component, Path, PathBuf};

/// The risk of a request, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Risk {
    /// The level.
    pub level: RiskLevel,
    /// The reason, for people.
    pub why: &'static str,
}

const LOW: Risk = Risk { level: RiskLevel::Low, why: "nothing in it is known to be risky" };

/// Estimates the risk of a request.
#[must_use]
pub fn risk(request: &Request<'_>) -> Risk {
    let looks = looks(request);
    match controls(request.command, request.files) {
        Some(why) if looks.level < RiskLevel::High => high(why),
        _ => looks,
    }
}

/// The risk of a request apart from whether it touches what controls decisions.
fn looks(request: &Request<'_>) -> Risk {
    let of_files = request.files.iter().filter_map(|it| of_file(it, request.project));
    let of_command = request.command.map(|it| of_command(it, request.project));
    let all = of_files.chain(of_command);
    all.reduce(|worst, it| if it.level > worst.level { it } else { worst }).unwrap_or(LOW)
}

fn of_command(text: &str, project: Option<&Path>) -> Risk {
    let found = commands_in(text);
    let written = permissive_parser::written(text);
    let mut worst = LOW;
    let mut add = |it: Risk| {
        if it.level > worst.level {
            worst = it;
        }
    };
    for command in &found.commands {
        of_signs(command).into_iter().for_each(&mut add);
        touched(command).filter_map(|it| of_file(it, project)).for_each(&mut add);
        command.iter().filter_map(|it| of_secret(it)).for_each(&mut add);
    }
    let targets = written.iter().flat_map(|it| &it.targets);
    targets.filter_map(|it| of_file(it, project)).for_each(&mut add);
    if runs_what_it_fetches(&written, &found.commands) {
        add(high("runs what it fetches from the network"));
    }
    if found.is_cut {
        add(medium("is too long to be looked through"));
    }
    worst
}

const fn high(why: &'static str) -> Risk {
    Risk { level: RiskLevel::High, why }
}

const fn medium(why: &'static str) -> Risk {
    Risk { level: RiskLevel::Medium, why }
}

fn of_signs(command: &[String]) -> Vec<Risk> {
    let shown = SIGNS.iter().filter(|it| shows(command, it));
    shown.map(|it| Risk { level: it.level, why: it.why }).collect()
}

/// Whether a command starts with a sign's words and has one of its options.
fn shows(command: &[String], sign: &Sign) -> bool {
    let words: Vec<&str> = sign.words.split(' ').collect();
    let is_begun = !permissive_parser::comes_to(command, &words).is_empty();
    let given = |option: &&str| command.iter().skip(1).any(|it| is_given(it, option));
    is_begun && (sign.options.is_empty() || sign.options.iter().any(given))
}

/// Whether a word is an option, alone, combined with other short options, or with a value.
fn is_given(word: &str, option: &str) -> bool {
    let short = option.strip_prefix('-').filter(|it| it.len() == 1);
    let is_cluster = word.starts_with('-') && !word.starts_with("--");
    match short {
        Some(letter) => is_cluster && word.contains(letter),
        None if option.ends_with(['=', '+', ':']) => word.starts_with(option),
        None => word == option || word.split('=').next() == Some(option),
    }
}

/// The files that a command would write, as far as its words show them.
fn touched(command: &[String]) -> impl Iterator<Item = &str> {
    let first = command.first().map(|it| permissive_parser::program(it)).unwrap_or_default();
    let rest = command.iter().skip(1).map(String::as_str).filter(|it| !it.starts_with('-'));
    let all = if WRITERS.contains(&first) { usize::MAX } else { 0 };
    rest.take(all)
}

fn of_file(file: &str, project: Option<&Path>) -> Option<Risk> {
    let is_harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&file)
        || file.chars().all(|it| it.is_ascii_digit());
    if is_harmless {
        return None;
    }
    if let Some(risk) = of_secret(file) {
        return Some(risk);
    }
    if SYSTEM.iter().any(|it| file.starts_with(it)) {
        return Some(high("writes where the system is"));
    }
    let is_outside = match file.starts_with('/') {
        true => !is_within(Path::new(file), project) && !is_temporary(file),
        false => file.starts_with(['~', '$']) || climbs_out(Path::new(file)),
    };
    is_outside.then_some(medium("writes outside the project"))
}

fn is_temporary(file: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/private/tmp/"].iter().any(|it| file.starts_with(it))
}

fn is_within(file: &Path, project: Option<&Path>) -> bool {
    let mut plain = PathBuf::new();
    for part in file.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    project.is_some_and(|it| plain.starts_with(it))
}

fn climbs_out(file: &Path) -> bool {
    let mut depth = 0i32;
    file.components().any(|part| {
        depth += match part {
            Component::ParentDir => -1,
            Component::Normal(_) => 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => 0,
        };
        depth < 0
    })
}

fn of_secret(word: &str) -> Option<Risk> {
    let word = word.strip_suffix('/').unwrap_or(word);
    let word = word.rsplit_once(['=', '@', ':']).map_or(word, |(_, it)| it);
    let is = |secret: &&str| match secret.strip_prefix('*') {
        Some(ending) => word.ends_with(ending),
        None => goes_through(word, secret),
    };
    SECRETS.iter().any(is).then_some(high("touches a file of secrets"))
}

/// Whether data from the network is piped into a program that runs it.
fn runs_what_it_fetches(written: &[Written], found: &[Vec<String>]) -> bool {
    let is = |words: &[String], names: &[&str]| {
        let (runs, _) = permissive_parser::runs(words);
        runs.iter()
            .any(|it| it.first().is_some_and(|it| names.contains(&permissive_parser::program(it))))
    };
    let mut is_fetched = false;
    for command in written {
        is_fetched &= command.is_piped;
        if is_fetched && (is(&command.words, SHELLS) || is(&command.words, RUNS_INPUT)) {
            return true;
        }
        is_fetched |= is(&command.words, ELSEWHERE);
    }
    let takes = |words: &&Vec<String>| {
        (is(words, SHELLS) || is(words, &["eval", "source", "."]))
            && words.iter().any(|it| it.contains(GIVEN))
    };
    found.iter().any(|it| is(it, ELSEWHERE)) && found.iter().any(|it| takes(&it))
}

/// Programs other than shells that run their input.
const RUNS_INPUT: &[&str] = &[
    "python", "python3", "node", "perl", "ruby", "php", "bun", "deno", "psql", "mysql", "sqlite3",
];
