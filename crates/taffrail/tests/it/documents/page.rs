//! What the test knows of a page, as data: what it presupposes, its placeholders, and the commands
//! that do not simply end with 0.

/// A page of the documents. A page that is not in the table has an empty home and needs nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    /// Its path below the root of the repository.
    pub(crate) name: &'static str,
    /// What its reader has before the first command.
    pub(crate) world: &'static [Step],
    /// What its commands write for a value that differs from machine to machine.
    pub(crate) places: &'static [(&'static str, Place)],
    /// The commands that are not just run to their end.
    pub(crate) lines: &'static [Line],
}

/// Where the value of a placeholder comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// A command of ours with `--json`, and the pointer in its reply. The value stays until
    /// `Step::Forget`.
    Json(&'static [&'static str], &'static str),
    /// The last word with this beginning that a command of the page printed.
    Printed(&'static str),
    /// This text, for the shell to read.
    Text(&'static str),
}

/// A command that needs more than to be run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// The command as the page has it.
    pub(crate) command: &'static str,
    /// The device to run it on.
    pub(crate) on: &'static str,
    /// What happens before it.
    pub(crate) before: &'static [Step],
    /// How it is run.
    pub(crate) way: Way,
}

/// How a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// To its end, which has the code 0.
    Ends,
    /// To its end, which has this code, for this reason.
    Refused(i32, &'static str),
    /// At a terminal: once it shows this text, these keys are pressed; it ends with this code.
    Terminal(&'static str, &'static str, i32),
    /// In the background, for as long as the page lasts: it is up once it shows this text.
    Stays(&'static str),
    /// In the background, too: it is a daemon of ours, and is up once it answers.
    Serves,
    /// Not at all, for this reason.
    Excepted(&'static str),
}

/// What a reader has, or does between two commands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// Recorded sessions of three agents, in `~/src/app`.
    Sessions,
    /// A session of just now in `~/src/api`, which waits for its next prompt.
    Recent,
    /// A Git repository with a change in `~/src/app`, on this device.
    Repository(&'static str),
    /// A repository to clone, in `~/upstream/taffrail`.
    Upstream,
    /// A repository in the folder of the commands, with this file of 200 lines.
    Committed(&'static str),
    /// A program that does nothing, in place of one that is not ours.
    Program(&'static str),
    /// The server that hubs of NATS use.
    NatsServer,
    /// A folder, below the folder of the commands.
    Folder(&'static str),
    /// A file with this text, below the folder of the commands.
    File(&'static str, &'static str),
    /// A command of ours, on this device.
    Run(&'static str, &'static [&'static str]),
    /// A daemon runs on this device, and has read the history.
    Daemon(&'static str),
    /// Another device that never ran Taffrail.
    Device(&'static str),
    /// Another device in the team, of this user.
    Member(&'static str, &'static str),
    /// A directory as the hub of all devices.
    Hub,
    /// An agent on the laptop asks for approval, unless a request is open.
    Request,
    /// Waits until a reply on this device has this field.
    Until(&'static str, &'static [&'static str], &'static str),
    /// The placeholders get other values.
    Forget,
}

/// The device of the reader.
pub(crate) const LAPTOP: &str = "laptop";
/// Another device.
pub(crate) const TOWER: &str = "tower";

impl Line {
    const fn new(command: &'static str, way: Way) -> Self {
        Self { command, on: LAPTOP, before: &[], way }
    }

    /// Runs it on another device.
    pub(crate) const fn on(self, on: &'static str) -> Self {
        Self { on, ..self }
    }

    /// Does something before.
    pub(crate) const fn after(self, before: &'static [Step]) -> Self {
        Self { before, ..self }
    }
}

/// A command that ends well, on another device or after something else.
pub(crate) const fn run(command: &'static str) -> Line {
    Line::new(command, Way::Ends)
}

/// A command that is refused, and why that is right.
pub(crate) const fn refused(command: &'static str, code: i32, why: &'static str) -> Line {
    Line::new(command, Way::Refused(code, why))
}

/// A command that asks, and the answer.
pub(crate) const fn answered(command: &'static str, typed: &'static str) -> Line {
    Line::new(command, Way::Terminal("[y/N]", typed, 0))
}

/// A command that runs until somebody presses Ctrl-C.
pub(crate) const fn followed(command: &'static str, shows: &'static str) -> Line {
    Line::new(command, Way::Terminal(shows, "\x03", 130))
}

/// The board.
pub(crate) const fn board(command: &'static str) -> Line {
    Line::new(command, Way::Terminal("NEEDS YOU", "q", 0))
}

/// A server.
pub(crate) const fn stays(command: &'static str, shows: &'static str) -> Line {
    Line::new(command, Way::Stays(shows))
}

/// A daemon of ours in the foreground.
pub(crate) const fn serves(command: &'static str) -> Line {
    Line::new(command, Way::Serves)
}

/// A command that cannot be run here, and why.
pub(crate) const fn excepted(command: &'static str, why: &'static str) -> Line {
    Line::new(command, Way::Excepted(why))
}
