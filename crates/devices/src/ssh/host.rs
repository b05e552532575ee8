//! A host as `ssh://[USER@]HOST[:PORT]` names it.

use super::SshError;
use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

const SCHEME: &str = "ssh://";
/// No name of a host or a user is longer.
const LONGEST: usize = 255;

/// A host that `ssh` knows, by its name or by an alias in the user's own configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshHost {
    user: Option<String>,
    name: String,
    port: Option<NonZeroU16>,
}

impl SshHost {
    /// Whether a word means a host rather than a code or a session.
    #[must_use]
    pub fn is_meant(word: &str) -> bool {
        word.starts_with(SCHEME)
    }

    /// The arguments that name it to `ssh`; none of them is an option of its own making.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut out = Vec::new();
        if let Some(port) = self.port {
            out.extend(["-p".to_owned(), port.to_string()]);
        }
        if let Some(user) = &self.user {
            out.extend(["-l".to_owned(), user.clone()]);
        }
        out.extend(["--".to_owned(), self.name.clone()]);
        out
    }

    /// The words that run a command there by hand.
    #[must_use]
    pub fn by_hand(&self) -> String {
        let port = self.port.map(|it| format!("-p {it} ")).unwrap_or_default();
        let user = self.user.as_ref().map(|it| format!("{it}@")).unwrap_or_default();
        format!("ssh -t {port}{user}{}", self.name)
    }
}

impl fmt::Display for SshHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        let is_numeric = self.name.contains(':');
        match (self.port, is_numeric) {
            (Some(port), true) => write!(f, "[{}]:{port}", self.name),
            (Some(port), false) => write!(f, "{}:{port}", self.name),
            (None, _) => f.write_str(&self.name),
        }
    }
}

impl FromStr for SshHost {
    type Err = SshError;

    fn from_str(text: &str) -> Result<Self, SshError> {
        read(text).ok_or_else(|| SshError::Address(text.to_owned()))
    }
}

fn read(text: &str) -> Option<SshHost> {
    let rest = text.strip_prefix(SCHEME)?;
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (user, place) = match rest.rsplit_once('@') {
        Some((user, place)) => (Some(word(user, "+")?), place),
        None => (None, rest),
    };
    let (name, port) = match place.strip_prefix('[') {
        Some(numeric) => {
            let (name, port) = numeric.split_once(']')?;
            (word(name, ":")?, Some(port).filter(|it| !it.is_empty()))
        }
        None => {
            let at = place.find(':').unwrap_or(place.len());
            let (name, port) = place.split_at_checked(at)?;
            (word(name, "")?, Some(port).filter(|it| !it.is_empty()))
        }
    };
    let port = match port {
        Some(port) => Some(port.strip_prefix(':')?.parse().ok()?),
        None => None,
    };
    Some(SshHost { user, name, port })
}

/// A name without anything that `ssh`, a shell in the user's configuration of it, or a terminal could obey.
fn word(text: &str, more: &str) -> Option<String> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it) || more.contains(it);
    let is_name = !text.is_empty() && text.len() <= LONGEST && !text.starts_with('-');
    (is_name && text.chars().all(is_plain)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_and_never_an_option() {
        let check = |text: &str, arguments: &[&str], shown: &str| {
            let host: SshHost = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(
                (host.arguments(), host.to_string().as_str()),
                (arguments.iter().map(ToString::to_string).collect(), shown),
                "{text}"
            );
        };
        check("ssh://tower", &["--", "tower"], "tower");
        check("ssh://tower/", &["--", "tower"], "tower");
        check(
            "ssh://ann@tower.example:2222",
            &["-p", "2222", "-l", "ann", "--", "tower.example"],
            "ann@tower.example:2222",
        );
        check("ssh://[::1]:22", &["-p", "22", "--", "::1"], "[::1]:22");
        check("ssh://[fe80::1]", &["--", "fe80::1"], "fe80::1");
        check("ssh://a_b-c.d", &["--", "a_b-c.d"], "a_b-c.d");
    }

    #[test]
    fn whatever_a_shell_or_ssh_could_obey_is_refused() {
        let long = format!("ssh://{}", "a".repeat(300));
        for text in [
            "",
            "ssh://",
            "ssh:///x",
            "ssh://-oProxyCommand=id",
            "ssh://-x@host",
            "ssh://ann@-host",
            "ssh://a b",
            "ssh://a;id",
            "ssh://$(id)",
            "ssh://`id`",
            "ssh://a%h",
            "ssh://a'b",
            "ssh://a\u{1b}[2J",
            "ssh://host/path",
            "ssh://ann:secret@host",
            "ssh://host:",
            "ssh://host:0",
            "ssh://host:70000",
            "ssh://host:22x",
            "ssh://[::1",
            "ssh://[::1]22",
            "ssh://@host",
            "ssh://höst",
            "tower",
            &long,
        ] {
            assert!(matches!(text.parse::<SshHost>(), Err(SshError::Address(_))), "{text}");
        }
    }

    #[test]
    fn a_command_by_hand_names_the_same_host() {
        let host: SshHost = "ssh://ann@tower:2222".parse().unwrap();
        assert_eq!(host.by_hand(), "ssh -t -p 2222 ann@tower");
    }
}
