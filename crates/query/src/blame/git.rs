//! Asks git who added a line. The repository may be hostile: git runs without hooks, filters,
//! external programs and network, for a limited time and with limited output.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;
use taffrail_context::Error;

/// The most bytes of output.
const LIMIT: u64 = 64 * 1024 * 1024;
/// The longest time that git may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Settings under which git runs nothing but itself and reads no file that the repository names.
const PLAIN: [(&str, &str); 14] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.quotePath", "false"),
    ("core.sshCommand", "false"),
    ("protocol.allow", "never"),
    ("color.ui", "never"),
    ("log.showSignature", "false"),
    ("blame.ignoreRevsFile", ""),
    ("mailmap.file", ""),
    ("mailmap.blob", ""),
    ("diff.ignoreSubmodules", "all"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];
/// Variables that would lead git elsewhere.
const FOREIGN: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_EXTERNAL_DIFF",
    "GIT_NOTES_REF",
    "GIT_OBJECT_DIRECTORY",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CEILING_DIRECTORIES",
];

/// The output of git in a working tree.
pub(super) fn git(root: &Path, words: &[&str]) -> Result<String, Error> {
    git_with(root, words, None)
}

/// The output of git, which reads this text.
pub(super) fn git_with(root: &Path, words: &[&str], input: Option<&str>) -> Result<String, Error> {
    let out = run(root, words, (&settings(root)?, input))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// The texts of objects by their names, such as `REF:PATH`; those that are not there are left out.
pub(super) fn objects(root: &Path, names: &[String]) -> Result<HashMap<String, String>, Error> {
    let asked: String = names.iter().flat_map(|it| [it.as_str(), "\n"]).collect();
    let out = run(root, &["cat-file", "--batch"], (&settings(root)?, Some(&asked)))?;
    let mut rest = out.as_slice();
    let mut texts = HashMap::new();
    // Git answers in order: `HASH TYPE SIZE`, a line end, the bytes and a line end; or `NAME missing`.
    for name in names {
        let Some(end) = rest.iter().position(|it| *it == b'\n') else { break };
        let (head, after) = rest.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        let head = String::from_utf8_lossy(head);
        let Some(size) = head.rsplit_once(' ').and_then(|it| it.1.parse::<usize>().ok()) else {
            continue;
        };
        let Some((content, after)) = rest.split_at_checked(size) else { break };
        texts.insert(name.clone(), String::from_utf8_lossy(content).into_owned());
        rest = after.get(1..).unwrap_or_default();
    }
    Ok(texts)
}

fn settings(root: &Path) -> Result<Vec<(String, String)>, Error> {
    let filters = filters(root)?;
    let settings = PLAIN.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    Ok(settings.chain(filters).collect())
}

/// The working trees of a repository, this one among them.
pub(super) fn working_trees(root: &Path) -> Vec<PathBuf> {
    // Without a list, this tree is the only known one.
    let listed = git(root, &["worktree", "list", "--porcelain", "-z"]).unwrap_or_default();
    let trees = listed.split('\0').filter_map(|it| it.strip_prefix("worktree "));
    trees.map(PathBuf::from).collect()
}

/// Settings that turn off the filters of any settings file. Their names are the repository's, so
/// they go to git as values and not as words.
fn filters(root: &Path) -> Result<Vec<(String, String)>, Error> {
    let words = ["config", "--null", "--name-only", "--get-regexp", r"^filter\."];
    // Git fails if there are none.
    let Ok(listed) = run(root, &words, (&[], None)) else { return Ok(Vec::new()) };
    let listed = String::from_utf8_lossy(&listed);
    let names = listed.split('\0').filter_map(|it| it.rsplit_once('.')).map(|it| it.0);
    let off = |name: &str| {
        let values = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
        values.map(|(key, value)| (format!("{name}.{key}"), value.to_owned()))
    };
    Ok(names.flat_map(off).collect())
}

fn run(
    root: &Path,
    words: &[&str],
    (settings, input): (&[(String, String)], Option<&str>),
) -> Result<Vec<u8>, Error> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(words);
    FOREIGN.iter().for_each(|it| {
        command.env_remove(it);
    });
    for (name, value) in [
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("LC_ALL", "C"),
    ] {
        command.env(name, value);
    }
    command.env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (number, (key, value)) in settings.iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{number}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
    }
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null());
    let what = words.first().copied().unwrap_or_default();
    let mut child = command.spawn().map_err(|error| failed(what, &error.to_string()))?;
    if let (Some(mut stdin), Some(text)) = (child.stdin.take(), input.map(str::to_owned)) {
        // Git that ended early shows that by its status.
        std::thread::spawn(move || stdin.write_all(text.as_bytes()).ok());
    }
    output(child, what)
}

fn output(mut child: Child, what: &str) -> Result<Vec<u8>, Error> {
    let Some(stdout) = child.stdout.take() else { return Err(failed(what, "it has no output")) };
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut out = Vec::new();
        let read = stdout.take(LIMIT + 1).read_to_end(&mut out).map(|_| out);
        // The receiver may have lost its patience.
        sender.send(read).ok();
    });
    let read = receiver.recv_timeout(PATIENCE);
    let is_whole = matches!(&read, Ok(Ok(out)) if out.len() as u64 <= LIMIT);
    if !is_whole {
        // The process may have ended just now.
        child.kill().ok();
    }
    let ended = child.wait().map_err(|error| failed(what, &error.to_string()))?;
    match read {
        Ok(Ok(out)) if is_whole && ended.success() => Ok(out),
        Ok(Ok(_)) if is_whole => Err(failed(what, &format!("it ended with {ended}"))),
        Ok(Ok(_)) => Err(failed(what, "its output is too long")),
        Ok(Err(error)) => Err(failed(what, &error.to_string())),
        Err(_) => Err(failed(what, "it took too long")),
    }
}

fn failed(what: &str, why: &str) -> Error {
    Error::Git(format!("git {what}: {why}"))
}
