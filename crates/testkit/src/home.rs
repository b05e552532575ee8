//! A hermetic home for every test.

use crate::Run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Our own folders below the home, by environment variable.
const FOLDERS: [(&str, &str); 5] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_RUNTIME_DIR", ".run"),
];
const DATA: &str = ".local/share/taffrail";

/// A temporary `HOME` and the program that uses it.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
    program: PathBuf,
    /// The user to run commands as, if it is another one.
    user: Option<u32>,
    /// The prefix of every command.
    through: Vec<String>,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The exit code.
    pub status: i32,
    /// Data.
    pub stdout: String,
    /// Everything else.
    pub stderr: String,
}

/// A copy of Taffrail's own files, to be restored later.
#[derive(Debug, Clone)]
pub struct SavedData(BTreeMap<PathBuf, Vec<u8>>);

impl Home {
    /// Creates an empty home for the program at this path.
    #[must_use]
    pub fn new(program: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("taffrail-test-").tempdir().unwrap();
        for (_, below) in FOLDERS {
            fs::create_dir_all(folder.path().join(below)).unwrap();
        }
        let home = Self { folder, program: program.into(), user: None, through: Vec::new() };
        home.let_scripts_decide();
        home
    }

    /// A home in which only a person at a terminal may decide, which is the default.
    #[must_use]
    pub fn strict(program: &str) -> Self {
        let home = Self::new(program);
        fs::remove_dir_all(home.path(".config/taffrail")).unwrap();
        home
    }

    /// Tests have no terminal, so the configuration lets scripts decide.
    fn let_scripts_decide(&self) {
        self.write(".config/taffrail/config.toml", "[control]\nscripts = true\n");
        let folder = self.path(".config/taffrail");
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }

    /// A home without an archive: what a source drops is gone.
    #[must_use]
    pub fn without_archive(program: &str) -> Self {
        let home = Self::new(program);
        home.ok(&["config", "set", "archive.enabled", "false"]);
        home
    }

    /// The home itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A path below the home.
    #[must_use]
    pub fn path(&self, below: &str) -> PathBuf {
        self.root().join(below)
    }

    /// Writes a file, and creates the folders above it.
    pub fn write(&self, below: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Appends to a file.
    pub fn append(&self, below: &str, bytes: impl AsRef<[u8]>) {
        let mut file = OpenOptions::new().append(true).open(self.path(below)).unwrap();
        file.write_all(bytes.as_ref()).unwrap();
    }

    /// Renames a file, and creates the folders above its new path.
    pub fn rename(&self, from: &str, to: &str) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.path(from), to).unwrap();
    }

    /// Deletes a file.
    pub fn remove(&self, below: &str) {
        fs::remove_file(self.path(below)).unwrap();
    }

    /// The program, with only the environment of this home.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_in(self.root(), arguments)
    }

    fn command_in(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = self.any_command(&self.program, folder);
        command.args(arguments);
        if let Some(user) = self.user {
            command.uid(user);
        }
        command
    }

    /// Any program in a folder of this home, with only its environment.
    #[must_use]
    pub fn any_command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = match self.through.split_first() {
            None => Command::new(program),
            Some((first, rest)) => {
                let mut command = Command::new(first);
                // A prefix that changes the root also changes the working folder.
                command.args(rest).args(["env", "-C"]).arg(folder).arg(program);
                command
            }
        };
        command.current_dir(folder).stdin(Stdio::null());
        command.env_clear().env("HOME", self.root()).env("NO_COLOR", "1").env("TZ", "UTC0");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (variable, below) in FOLDERS {
            command.env(variable, self.path(below));
        }
        command
    }

    /// Sets the prefix of every command.
    pub fn lead_through(&mut self, words: Vec<String>) {
        self.through = words;
    }

    /// Gives the home and everything in it to another user, and runs commands as that user from now
    /// on. Only root can; returns whether it worked.
    pub fn give_to(&mut self, user: u32) -> bool {
        let given = give(self.root(), user).is_ok();
        self.user = given.then_some(user);
        given
    }

    /// Runs a command to its end.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.run_in(self.root(), arguments)
    }

    /// Runs a command in another folder.
    #[must_use]
    pub fn run_in(&self, folder: &Path, arguments: &[&str]) -> Output {
        let output = self.command_in(folder, arguments).output().unwrap();
        Output {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }

    /// Runs a command on its own terminal, with this input typed; `stdout` is all it shows.
    #[must_use]
    pub fn at_terminal(&self, arguments: &[&str], typed: &str) -> Output {
        self.at_terminal_of("/bin/sh", arguments, typed)
    }

    /// The same with this shell as the user's.
    #[must_use]
    pub fn at_terminal_of(&self, shell: &str, arguments: &[&str], typed: &str) -> Output {
        let words =
            std::iter::once(self.program.to_str().unwrap()).chain(arguments.iter().copied());
        let quoted: Vec<_> = words.map(|it| format!("'{}'", it.replace('\'', "'\\''"))).collect();
        let mut command = self.any_command(Path::new("script"), self.root());
        command.args(["-q", "-e", "-f", "-c", &quoted.join(" "), "/dev/null"]);
        command.env("SHELL", shell);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(typed.as_bytes()).unwrap();
        // The terminal lives as long as its other end, which is closed when the command has ended.
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        Output {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs a command that must succeed, and returns its stdout.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
        output.stdout
    }

    /// Runs a command whose output is one JSON document.
    #[must_use]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let text = self.ok(arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// Runs a command whose output is one JSON object per line.
    #[must_use]
    pub fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        let text = self.ok(arguments);
        text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
    }

    /// Starts a command in the background; its output is dropped.
    #[must_use]
    pub fn spawn(&self, arguments: &[&str]) -> Run {
        let mut command = self.command(arguments);
        Run::new(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Brings the index up to date and returns the counts.
    pub fn index(&self) -> Value {
        self.json(&["index", "--json"])
    }

    /// Every session, including sub-agents, in the order of `ls`.
    #[must_use]
    pub fn sessions(&self) -> Vec<Value> {
        let mut list = self.json(&["ls", "--json", "--all"]);
        serde_json::from_value(list["sessions"].take()).unwrap()
    }

    /// The session with this runtime id; there must be exactly one.
    #[must_use]
    pub fn session(&self, runtime_id: &str) -> Value {
        let mut all = self.sessions();
        all.retain(|it| it["runtime_session_id"] == runtime_id);
        assert_eq!(all.len(), 1, "sessions with the runtime id {runtime_id}");
        all.remove(0)
    }

    /// The live events of a session.
    #[must_use]
    pub fn events(&self, id: &str) -> Vec<Value> {
        self.lines(&["events", id, "--json"])
    }

    /// Copies Taffrail's own files.
    #[must_use]
    pub fn save_data(&self) -> SavedData {
        let mut files = Vec::new();
        files_below(&self.path(DATA), &mut files);
        SavedData(files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect())
    }

    /// Restores Taffrail's own files.
    pub fn restore_data(&self, saved: &SavedData) {
        self.drop_data();
        fs::create_dir_all(self.path(DATA)).unwrap();
        for (path, bytes) in &saved.0 {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }

    /// Simulates a reboot since Taffrail last checked its archive.
    pub fn start_anew(&self) {
        let index = rusqlite::Connection::open(self.path(DATA).join("index.db")).unwrap();
        index.execute("DELETE FROM meta WHERE name = 'mended'", []).unwrap();
    }

    /// Deletes all data of Taffrail.
    pub fn drop_data(&self) {
        if self.path(DATA).exists() {
            fs::remove_dir_all(self.path(DATA)).unwrap();
        }
    }
}

/// Every file below a folder.
pub(crate) fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, out);
        } else {
            out.push(path);
        }
    }
}

fn give(path: &Path, user: u32) -> std::io::Result<()> {
    lchown(path, Some(user), None)?;
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), user)?;
        }
    }
    Ok(())
}
