//! A terminal that a test types into and reads from: a private tmux server with one pane.

use crate::agents::Machine;
use crate::process::patiently;
use std::cell::Cell;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How many columns and lines the screen has.
const SIZE: (&str, &str) = ("140", "50");
/// The interval between two reads of the screen.
const PAUSE: Duration = Duration::from_millis(25);
/// Keys are pressed again after this many reads without success, and a text is typed again.
const LOOKS_A_PRESS: u32 = 20;
const LOOKS_A_TEXT: u32 = 100;
/// Makes the names of all screens distinct.
static SCREENS: AtomicU32 = AtomicU32::new(0);

/// A program on a screen. It ends with its machine.
#[derive(Debug)]
pub struct Tmux<'a> {
    machine: &'a Machine,
    /// The name of its server; the socket is in tmux's folder.
    name: String,
}

impl<'a> Tmux<'a> {
    /// Starts a program on its own screen, with these variables besides the machine's.
    #[must_use]
    pub fn start(
        machine: &'a Machine,
        program: &Path,
        arguments: &[&str],
        environment: &[(&str, String)],
    ) -> Self {
        let name = format!("screen-{}", SCREENS.fetch_add(1, Ordering::Relaxed));
        let mut tmux = machine.command("/usr/bin/tmux");
        tmux.envs(environment.iter().map(|(name, value)| (name, value)));
        tmux.args(["-L", &name, "-f", "/dev/null", "start-server", ";"]);
        tmux.args(["set-option", "-g", "remain-on-exit", "on", ";"]);
        tmux.args(["new-session", "-d", "-x", SIZE.0, "-y", SIZE.1, "--"]);
        let output = tmux.arg(program).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux could not be started: {said}");
        Self { machine, name }
    }

    /// The text on the screen, without trailing blanks.
    #[must_use]
    pub fn screen(&self) -> String {
        let text = self.ask(&["capture-pane", "-p"]);
        let lines: Vec<_> = text.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Presses keys, by tmux's names for them.
    pub fn press(&self, keys: &[&str]) {
        self.ask(&[&["send-keys"], keys].concat());
    }

    /// Presses keys until a condition holds on the screen. A dialog that has just appeared drops
    /// keys, to avoid accidental answers; a person would press again.
    pub fn press_until(&self, keys: &[&str], what: &str, is_so: impl Fn(&str) -> bool) {
        let looks = Cell::new(0_u32);
        self.wait_until(what, |screen| {
            let so = is_so(screen);
            if !so && looks.get().is_multiple_of(LOOKS_A_PRESS) {
                self.press(keys);
            }
            looks.set(looks.get() + 1);
            so
        });
    }

    /// Types a text and then Enter, as a person who waits to see the text. A program that draws its
    /// prompt before it reads keys drops them; a person who sees nothing would type again.
    pub fn enter(&self, text: &str) {
        let (_, tail) = text.split_at(text.len().saturating_sub(12));
        let looks = Cell::new(0_u32);
        self.wait_until(&format!("{tail:?}"), |screen| {
            let begun = text.get(..text.len().min(8)).unwrap_or(text);
            let is_due = looks.get() > 0 && looks.get().is_multiple_of(LOOKS_A_TEXT);
            if looks.get() == 0 || is_due && !screen.contains(begun) {
                self.ask(&["send-keys", "-l", text]);
            }
            looks.set(looks.get() + 1);
            screen.contains(tail)
        });
        self.press(&["Enter"]);
    }

    /// Waits until a text is on the screen.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("{text:?}"), |screen| screen.contains(text));
    }

    /// Waits until a condition holds on the screen; prints the last screen on failure.
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let mut last = String::new();
        let found = patiently(PAUSE, || {
            last = self.screen();
            is_so(&last).then_some(())
        });
        assert!(found.is_some(), "{what} never came on this screen:\n{last}");
    }

    /// The pid of the program, inside.
    #[must_use]
    pub fn pid(&self) -> u32 {
        let text = self.ask(&["display-message", "-p", "#{pane_pid}"]);
        text.trim().parse().unwrap()
    }

    /// The server and pane of the screen, such as `/tmp/tmux-0/screen-0:%0`.
    #[must_use]
    pub fn place(&self) -> String {
        self.ask(&["display-message", "-p", "#{socket_path}:#{pane_id}"]).trim().to_owned()
    }

    /// The title that the program sets.
    #[must_use]
    pub fn title(&self) -> String {
        self.ask(&["display-message", "-p", "#{pane_title}"]).trim().to_owned()
    }

    /// Resizes the screen.
    pub fn resize(&self, columns: u16, lines: u16) {
        let (columns, lines) = (columns.to_string(), lines.to_string());
        self.ask(&["resize-window", "-x", &columns, "-y", &lines]);
    }

    /// Whether the program has ended.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.ask(&["display-message", "-p", "#{pane_dead}"]).trim() == "1"
    }

    fn ask(&self, arguments: &[&str]) -> String {
        let mut tmux: Command = self.machine.command("/usr/bin/tmux");
        let output = tmux.args(["-L", &self.name]).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
