//! One tmux pane: reads its screen and pastes text into it.

use super::servers::default_socket;
use super::tmux::{answer, is_pane_id};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long one tmux command may take.
const DEADLINE: Duration = Duration::from_secs(2);
/// The format of a pane's state, which comes before its rows.
const FORMAT: &str = "#{pane_in_mode} #{pane_dead} #{cursor_x} #{cursor_y}";

/// A pane, named as an executor: `tmux:%3`, or `tmux:/path/to/socket:%3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneName {
    socket: PathBuf,
    id: String,
}

/// The current state of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneView {
    /// The rows from the top, without trailing blanks.
    pub rows: Vec<String>,
    /// Column and row of the cursor, from 0.
    pub cursor: (usize, usize),
    /// The pane is in copy mode: keys do not reach the program.
    pub is_scrolled: bool,
    /// The pane's program has ended.
    pub is_dead: bool,
}

impl PaneName {
    /// The pane that an executor names; `None` if it names something else.
    #[must_use]
    pub fn of(executor: &str) -> Option<Self> {
        let name = executor.strip_prefix("tmux:")?;
        let (socket, id) = match name.rsplit_once(':') {
            Some((socket, id)) => (PathBuf::from(socket), id),
            None => (default_socket(), name),
        };
        is_pane_id(id).then(|| Self { socket, id: id.to_owned() })
    }

    /// The socket of its server.
    #[must_use]
    pub fn server(&self) -> &Path {
        &self.socket
    }

    /// Its id on that server, such as `%3`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The pane's current state; `None` if the pane does not exist or tmux does not answer.
    #[must_use]
    pub fn view(&self) -> Option<PaneView> {
        let words = ["display-message", "-p", "-t", &self.id, FORMAT, ";", "capture-pane", "-p"];
        let mut command = tmux(&self.socket);
        command.args(words).args(["-t", &self.id]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let said = answer(child.spawn().ok()?, Instant::now() + DEADLINE)?;
        read(&String::from_utf8_lossy(&said))
    }

    /// Pastes a text, bracketed if the program enabled that. It does not press enter.
    ///
    /// # Errors
    /// When tmux fails or does not answer.
    pub fn paste(&self, text: &str, name: &str) -> io::Result<()> {
        let mut command = tmux(&self.socket);
        command.args(["load-buffer", "-b", name, "-", ";"]);
        command.args(["paste-buffer", "-p", "-d", "-b", name, "-t", &self.id]);
        finished(command, text)
    }

    /// Presses enter.
    ///
    /// # Errors
    /// When tmux fails or does not answer.
    pub fn enter(&self) -> io::Result<()> {
        self.press("Enter")
    }

    /// Presses one key, by its name in tmux.
    ///
    /// # Errors
    /// When tmux fails or does not answer.
    pub fn press(&self, key: &str) -> io::Result<()> {
        let mut command = tmux(&self.socket);
        command.args(["send-keys", "-t", &self.id, key]);
        finished(command, "")
    }
}

/// `-u` keeps every character intact.
fn tmux(socket: &Path) -> Command {
    let mut command = Command::new("tmux");
    command.arg("-u").arg("-S").arg(socket);
    command
}

/// Runs a tmux command to its end, within the deadline.
fn finished(mut command: Command, input: &str) -> io::Result<()> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    if let Some(mut to) = child.stdin.take() {
        to.write_all(input.as_bytes())?;
    }
    let end = Instant::now() + DEADLINE;
    loop {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(_) => return Err(io::Error::other("tmux refused")),
            None if Instant::now() >= end => {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::other("tmux did not answer"));
            }
            None => std::thread::park_timeout(Duration::from_millis(2)),
        }
    }
}

fn read(said: &str) -> Option<PaneView> {
    let (first, rows) = said.split_once('\n')?;
    let mut words = first.split(' ');
    // An answer that is not a number does not come from tmux.
    let mut number = || words.next()?.parse::<usize>().ok();
    let (mode, dead, column, row) = (number()?, number()?, number()?, number()?);
    Some(PaneView {
        rows: rows.lines().map(|it| it.trim_end().to_owned()).collect(),
        cursor: (column, row),
        is_scrolled: mode != 0,
        is_dead: dead != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_are_told_from_other_executors() {
        let check = |name: &str, expected: Option<(&str, &str)>| {
            let expected =
                expected.map(|(socket, id)| PaneName { socket: socket.into(), id: id.to_owned() });
            assert_eq!(PaneName::of(name), expected, "{name}");
        };
        let socket = default_socket();
        check("tmux:%3", Some((socket.to_str().unwrap(), "%3")));
        check("tmux:/a b:c/own:%12", Some(("/a b:c/own", "%12")));
        for other in ["process:417", "pty:4", "tmux:", "tmux:3", "tmux:/x:", "tmux:%3 ; kill"] {
            check(other, None);
        }
    }

    #[test]
    fn a_view_is_read_or_not_believed() {
        let view = PaneView {
            rows: vec!["a".to_owned(), String::new(), " b".to_owned()],
            cursor: (2, 1),
            is_scrolled: true,
            is_dead: false,
        };
        assert_eq!(read("1 0 2 1\na  \n\n b\n"), Some(view));
        for said in ["", "1 0 2", "x 0 2 1\n", "1 0\nrow\n"] {
            assert_eq!(read(said), None, "{said:?}");
        }
    }

    #[test]
    fn a_text_goes_in_whole_and_only_enter_sends_it() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("own");
        let run = |words: &[&str]| {
            let mut command = tmux(&socket);
            command.env_remove("TMUX").args(["-f", "/dev/null"]).args(words);
            assert!(command.status().unwrap().success(), "{words:?}");
        };
        let out = folder.path().join("out");
        // The shell receives the line only when enter is pressed.
        let reads = format!(
            "printf 'ready'; IFS= read -r line; printf %s \"$line\" > {}; sleep 600",
            out.display()
        );
        run(&["new-session", "-d", "-x", "80", "-y", "24", "-s", "s", &reads]);
        let pane = PaneName { socket: socket.clone(), id: "%0".to_owned() };
        let end = Instant::now() + Duration::from_secs(20);
        let until = |what: &str, done: &dyn Fn() -> bool| {
            while !done() {
                assert!(Instant::now() < end, "{what}");
                std::thread::park_timeout(Duration::from_millis(10));
            }
        };
        let shows = |text: &str| pane.view().is_some_and(|it| it.rows.join("").contains(text));
        until("the shell", &|| shows("ready"));
        pane.paste("wörd; $(x)", "t1").unwrap();
        until("the text", &|| shows("wörd; $(x)"));
        assert!(!out.exists());
        pane.enter().unwrap();
        until("its line", &|| std::fs::read_to_string(&out).is_ok_and(|it| it == "wörd; $(x)"));
        run(&["copy-mode", "-t", "%0"]);
        assert!(pane.view().unwrap().is_scrolled);
        run(&["kill-server"]);
        assert_eq!(pane.view(), None);
        assert!(pane.paste("x", "t2").is_err());
    }
}
