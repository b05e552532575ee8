//! Desktop notifications, through the program that each platform has for them.

use super::program::{fed, found};
use super::{Message, SendError, Sending};
use std::collections::BTreeMap;
use taffrail_context::user_program::CommandError;
use taffrail_model::notices::{Notice, NoticeKind};

/// The most notices whose id is remembered.
const REMEMBERED: usize = 100;

/// The platform of the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platform {
    /// A desktop with `notify-send`.
    Freedesktop,
    /// A desktop with `osascript`, which cannot withdraw notifications.
    Mac,
}

impl Platform {
    /// The platform of this build.
    pub(crate) const fn here() -> Self {
        if cfg!(target_os = "macos") { Self::Mac } else { Self::Freedesktop }
    }

    const fn program(self) -> &'static str {
        match self {
            Self::Freedesktop => "notify-send",
            Self::Mac => "osascript",
        }
    }
}

/// The desktop, and the ids of its notifications.
#[derive(Debug)]
pub(crate) struct Desktop {
    platform: Platform,
    numbers: BTreeMap<String, u32>,
}

/// Whether to ask the desktop for the notification's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbered {
    Yes,
    /// For older programs, which have no ids.
    No,
}

impl Desktop {
    pub(crate) fn new(platform: Platform) -> Self {
        Self { platform, numbers: BTreeMap::new() }
    }

    pub(super) fn send(
        &mut self,
        message: &Message,
        sending: &Sending<'_>,
    ) -> Result<String, SendError> {
        match message {
            Message::Told(notice) => self.tell(notice, sending),
            Message::Withdrawn(notice) => self.withdraw(notice, sending),
        }
    }

    pub(super) fn shown(&self, message: &Message) -> Vec<String> {
        let (Message::Told(notice) | Message::Withdrawn(notice)) = message;
        let words = told(self.platform, notice, Numbered::Yes);
        vec![format!("run {} {words:?}", self.platform.program())]
    }

    fn tell(&mut self, notice: &Notice, sending: &Sending<'_>) -> Result<String, SendError> {
        let said = self.run(&told(self.platform, notice, Numbered::Yes), sending);
        let said = match said {
            // An older program has no ids.
            Err(SendError::Program(_, CommandError::Failed(_))) => {
                self.run(&told(self.platform, notice, Numbered::No), sending)?
            }
            said => said?,
        };
        if let Ok(number) = said.trim().parse() {
            while self.numbers.len() >= REMEMBERED {
                self.numbers.pop_first();
            }
            self.numbers.insert(notice.id.clone(), number);
        }
        Ok("the desktop took it".to_owned())
    }

    fn withdraw(&mut self, notice: &Notice, sending: &Sending<'_>) -> Result<String, SendError> {
        let number = self.numbers.remove(&notice.id);
        let Some(words) = number.and_then(|it| withdrawn(self.platform, notice, it)) else {
            return Ok("this desktop takes nothing back".to_owned());
        };
        self.run(&words, sending).map(|_| "the desktop took it back".to_owned())
    }

    fn run(&self, words: &[String], sending: &Sending<'_>) -> Result<String, SendError> {
        let program = found(sending.settings, self.platform.program())?;
        let all: Vec<String> = std::iter::once(program).chain(words.iter().cloned()).collect();
        fed(&all, "", sending)
    }
}

/// The arguments of the platform's program. Text of agents is always a separate argument, after the
/// marker that ends options.
pub(super) fn told(platform: Platform, notice: &Notice, numbered: Numbered) -> Vec<String> {
    let Notice { title, body, kind, .. } = notice;
    match platform {
        Platform::Freedesktop => {
            let urgency = if *kind == NoticeKind::Risky { "critical" } else { "normal" };
            let mut words = vec!["--app-name=Taffrail".to_owned(), format!("--urgency={urgency}")];
            words.extend((numbered == Numbered::Yes).then(|| "--print-id".to_owned()));
            words.extend(["--".to_owned(), title.clone(), escaped(body)]);
            words
        }
        Platform::Mac => {
            let script = "display notification (item 2 of argv) with title (item 1 of argv)";
            let lines = ["-e", "on run argv", "-e", script, "-e", "end run", "--"];
            let mut words: Vec<String> = lines.map(str::to_owned).to_vec();
            words.extend([title.clone(), body.clone()]);
            words
        }
    }
}

/// The replacement for a notice that is over: it says so, and disappears at once. `None` if the
/// platform cannot do that.
fn withdrawn(platform: Platform, notice: &Notice, number: u32) -> Option<Vec<String>> {
    let words = [
        "--app-name=Taffrail",
        "--urgency=low",
        "--expire-time=1",
        "--hint=int:transient:1",
        &format!("--replace-id={number}"),
        "--",
        &notice.title,
        "It is over.",
    ];
    (platform == Platform::Freedesktop).then(|| words.map(str::to_owned).to_vec())
}

/// Escapes markup: a body may contain it, but never from agents.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::document::tests::notice;
    use super::*;

    #[test]
    fn what_agents_wrote_is_an_argument_and_never_an_option_or_markup() {
        let hostile = notice("--icon=x", "<b>a</b> & \"b\" $(c)");
        let check = |platform, numbered, expected: &[&str]| {
            assert_eq!(told(platform, &hostile, numbered), expected);
        };
        let body = "&lt;b&gt;a&lt;/b&gt; &amp; \"b\" $(c)";
        let (app, urgency) = ("--app-name=Taffrail", "--urgency=normal");
        let numbered: &[&str] = &[app, urgency, "--print-id", "--", "--icon=x", body];
        check(Platform::Freedesktop, Numbered::Yes, numbered);
        check(Platform::Freedesktop, Numbered::No, &[app, urgency, "--", "--icon=x", body]);
        let mac: &[&str] = &[
            "-e",
            "on run argv",
            "-e",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "-e",
            "end run",
            "--",
            "--icon=x",
            "<b>a</b> & \"b\" $(c)",
        ];
        check(Platform::Mac, Numbered::Yes, mac);
    }

    #[test]
    fn what_is_over_is_replaced_by_its_number_where_that_can_be() {
        let notice = notice("api waits for you", "ls");
        let words = withdrawn(Platform::Freedesktop, &notice, 7).unwrap();
        assert!(words.contains(&"--replace-id=7".to_owned()), "{words:?}");
        assert!(words.ends_with(&["api waits for you".to_owned(), "It is over.".to_owned()]));
        assert_eq!(withdrawn(Platform::Mac, &notice, 7), None);
    }

    #[test]
    fn a_risk_is_urgent() {
        let risky = Notice { kind: NoticeKind::Risky, ..notice("a", "b") };
        let words = told(Platform::Freedesktop, &risky, Numbered::Yes);
        assert!(words.contains(&"--urgency=critical".to_owned()), "{words:?}");
    }
}
