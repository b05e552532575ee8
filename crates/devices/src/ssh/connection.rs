//! One connection to a host, made again when it is lost.

use super::process::{Asking, Hear, Ssh, start};
use super::{Access, SshError, SshHost};
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use taffrail_api::client::Client;

/// The pause after the first failure; it doubles with each further one.
const FIRST: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(30);
/// How long a request waits for an answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A host, and the one connection to it. Its clones are the same one.
#[derive(Clone)]
pub struct Connection {
    host: SshHost,
    access: Access,
    state: Arc<Mutex<State>>,
}

enum State {
    Up(Ssh),
    Down(Pause),
    /// Ended by its owner: whoever still reads does not make it again.
    Closed,
}

/// The time until the next attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pause {
    until: Instant,
    length: Duration,
    why: String,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("host", &self.host).finish_non_exhaustive()
    }
}

impl Connection {
    /// Connects; `ssh` may ask for a password at the terminal, and `hear` is called with each line it prints.
    ///
    /// # Errors
    /// If the host is not reached, or no Taffrail that fits answers there.
    pub fn open(
        host: SshHost,
        access: Access,
        hear: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, SshError> {
        let hear: Hear = Arc::new(hear);
        let ssh = start(&host, access, Asking::Allowed, &hear)?;
        Ok(Self { host, access, state: Arc::new(Mutex::new(State::Up(ssh))) })
    }

    /// A client of the daemon there.
    #[must_use]
    pub fn client(&self) -> Client {
        let this = self.clone();
        Client::local(move || this.stream()).with_timeout(Some(TIMEOUT))
    }

    /// The version of Taffrail there; `None` while it is not reached.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        match &*self.lock() {
            State::Up(ssh) => Some(ssh.version.clone()),
            State::Down(_) | State::Closed => None,
        }
    }

    /// Ends the connection.
    pub fn close(&self) {
        *self.lock() = State::Closed;
    }

    /// A stream to the daemon there. A lost connection is made again, but not more often than the pauses allow.
    fn stream(&self) -> io::Result<UnixStream> {
        let mut state = self.lock();
        let now = Instant::now();
        let before = match &*state {
            State::Up(ssh) if !ssh.line.is_over() => return ssh.line.open(),
            State::Up(_) => None,
            State::Down(pause) if now < pause.until => {
                return Err(io::Error::other(pause.why.clone()));
            }
            State::Down(pause) => Some(pause.length),
            State::Closed => return Err(io::Error::other("the connection was closed")),
        };
        let deaf: Hear = Arc::new(|_| ());
        match start(&self.host, self.access, Asking::Never, &deaf) {
            Ok(ssh) => {
                let stream = ssh.line.open();
                *state = State::Up(ssh);
                stream
            }
            Err(error) => {
                let pause = Pause::after(before, Instant::now(), error.to_string());
                let why = io::Error::other(pause.why.clone());
                *state = State::Down(pause);
                Err(why)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pause {
    fn after(before: Option<Duration>, now: Instant, why: String) -> Self {
        let length = before.map_or(FIRST, |it| (it * 2).min(LONGEST));
        Self { until: now + length, length, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_half_a_minute() {
        let now = Instant::now();
        let mut before = None;
        let mut lengths = Vec::new();
        for _ in 0..7 {
            let pause = Pause::after(before, now, String::new());
            assert_eq!(pause.until, now + pause.length);
            before = Some(pause.length);
            lengths.push(pause.length.as_secs());
        }
        assert_eq!(lengths, [1, 2, 4, 8, 16, 30, 30]);
    }
}
