//! The file that makes a system start the daemon at login: pure text, for systemd and for launchd.

use std::path::{Path, PathBuf};

/// The first line of a file that is ours.
pub(crate) const MARK: &str = "Written by `taffrail service install`";

/// What the daemon does without. tmux servers and agents that it starts inherit all of it, and their work outlives
/// a restart of it: `docs/install.md` has the reason of every line, and what is left out on purpose.
const LIMITS: &str = "\
# What the daemon starts inherits these; docs/install.md has the reasons.
KillMode=process
OOMPolicy=continue
NoNewPrivileges=yes
RestrictRealtime=yes
SystemCallFilter=~@module @obsolete @raw-io @reboot @swap
SystemCallErrorNumber=EPERM
RestrictAddressFamilies=~AF_APPLETALK AF_ATMPVC AF_ATMSVC AF_AX25 AF_CAIF AF_DECnet AF_ECONET AF_IPX AF_IRDA
RestrictAddressFamilies=~AF_LLC AF_NETROM AF_PHONET AF_RDS AF_ROSE AF_TIPC AF_WANPIPE AF_X25
LimitCORE=0:infinity
";

/// Where a daemon of launchd looks for programs such as tmux: it does not see the user's `PATH`, and Homebrew
/// installs below the first two.
const PROGRAMS: &str = "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// What starts the user's services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manager {
    /// Linux.
    Systemd,
    /// macOS.
    Launchd,
}

impl Manager {
    /// The manager of this build.
    #[must_use]
    pub const fn here() -> Self {
        if cfg!(target_os = "macos") { Self::Launchd } else { Self::Systemd }
    }
}

/// A file that makes a system start the daemon, and what to type afterwards.
#[derive(Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where it belongs.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
    /// The command that starts the service.
    pub then: String,
    /// Ends it when the file is gone: what needs the file, as `disable` does, fails then.
    pub end: String,
}

/// A user unit of systemd, in the folder of the user's units.
#[must_use]
pub fn systemd(units: &Path, program: &Path) -> Unit {
    let program = quoted(&program.to_string_lossy());
    let text = format!(
        "# {MARK}\n[Unit]\nDescription=Taffrail: sees every coding-agent session\n\n[Service]\n\
         ExecStart={program} daemon run\nRestart=on-failure\n{LIMITS}\n\
         [Install]\nWantedBy=default.target\n"
    );
    Unit {
        path: units.join("taffrail.service"),
        text,
        then: "systemctl --user enable --now taffrail".to_owned(),
        end: "systemctl --user stop taffrail".to_owned(),
    }
}

/// A word of a unit file: quotes and what systemd would expand are made plain.
fn quoted(word: &str) -> String {
    let plain = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", plain.replace('%', "%%").replace('$', "$$"))
}

/// An agent of launchd, in the user's home. `AbandonProcessGroup` lets agents survive a stop of the daemon.
#[must_use]
pub fn launchd(home: &Path, program: &Path) -> Unit {
    let program = escaped(&program.to_string_lossy());
    let text = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {MARK} -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>taffrail</string>
	<key>ProgramArguments</key>
	<array>
		<string>{program}</string>
		<string>daemon</string>
		<string>run</string>
	</array>
	<key>EnvironmentVariables</key>
	<dict>
		<key>PATH</key>
		<string>{PROGRAMS}</string>
	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>AbandonProcessGroup</key>
	<true/>
</dict>
</plist>
"#
    );
    let path = home.join("Library/LaunchAgents/taffrail.plist");
    let then = format!("launchctl bootstrap gui/$(id -u) {}", in_shell(&path.to_string_lossy()));
    Unit { path, text, then, end: "launchctl bootout gui/$(id -u)/taffrail".to_owned() }
}

/// Text of an XML document.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A word that a shell takes as it is.
fn in_shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_say_more_than_a_path() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected);
        check("/usr/bin/taffrail", "\"/usr/bin/taffrail\"");
        check("/my dir/t\"af%f$rail", "\"/my dir/t\\\"af%%f$$rail\"");
    }

    #[test]
    fn no_limit_breaks_the_service_or_what_it_starts() {
        // Settings that fail in a user unit, hide the processes of agents, or break their shells.
        let never = "AmbientCapabilities CapabilityBoundingSet DevicePolicy IPAddress InaccessiblePaths KeyringMode \
                     LockPersonality Memory Private ProcSubset Protect ReadOnlyPaths RestrictNamespaces \
                     RestrictSUIDSGID SystemCallArchitectures TasksMax UMask";
        for line in LIMITS.lines() {
            assert!(!never.split_whitespace().any(|it| line.starts_with(it)), "{line}");
        }
    }

    #[test]
    fn a_unit_of_systemd_is_whole() {
        let unit = systemd(Path::new("/home/ada/units"), Path::new("/home/ada/bin/taffrail"));
        assert_eq!(unit.path, Path::new("/home/ada/units/taffrail.service"));
        assert!(unit.text.starts_with("# Written by `taffrail service install`\n[Unit]\n"));
        assert!(unit.text.contains("\nExecStart=\"/home/ada/bin/taffrail\" daemon run\n"));
        assert!(unit.text.ends_with("\n[Install]\nWantedBy=default.target\n"));
    }

    #[test]
    fn an_agent_of_launchd_is_whole() {
        let unit = launchd(Path::new("/Users/ada"), Path::new("/Users/ada/.cargo/bin/taffrail"));
        let path = "/Users/ada/Library/LaunchAgents/taffrail.plist";
        let expected = Unit {
            path: path.into(),
            text: include_str!("taffrail.plist").to_owned(),
            then: format!("launchctl bootstrap gui/$(id -u) '{path}'"),
            end: "launchctl bootout gui/$(id -u)/taffrail".to_owned(),
        };
        assert_eq!(unit, expected);
    }

    #[test]
    fn an_agent_of_launchd_is_xml_and_a_command_a_command() {
        let unit = launchd(Path::new("/Users/o'neil"), Path::new("/Users/<b> & co/taffrail"));
        assert!(unit.text.contains("<string>/Users/&lt;b&gt; &amp; co/taffrail</string>"));
        let quoted = r"'/Users/o'\''neil/Library/LaunchAgents/taffrail.plist'";
        assert_eq!(unit.then, format!("launchctl bootstrap gui/$(id -u) {quoted}"));
    }
}
