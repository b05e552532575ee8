//! Connects and stays connected.

use super::{NatsHub, Reads, assets, certificate, fault};
use crate::hub::address::Tls;
use crate::hub::hints::hint_channel;
use crate::hub::{Credentials, Hint, HubError, NatsKey, NatsServers, Result, Team};
use async_nats::connection::State;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::{Client, ConnectOptions, Event, ServerAddr, ServerError};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::broadcast::Sender;

/// How long to wait for an answer. A new leader was seen to take up to eight seconds; callers
/// retry.
const ANSWER: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(5);
/// A silent connection is dropped after two of these intervals.
const PING: Duration = Duration::from_secs(10);
/// The longest pause before the second attempt to connect; it doubles from there.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// The longest pause between two attempts.
const PAUSE: Duration = Duration::from_secs(30);
/// The number of attempts after which the pauses become long.
const MANY: u32 = 40;
/// The longest pause between two attempts after that.
const LONG_PAUSE: Duration = Duration::from_mins(10);
/// The first version that supports batched requests.
const OLDEST: (u32, u32) = (2, 11);

impl NatsHub {
    /// Connects and creates the team's missing resources on the servers.
    pub async fn connect(
        servers: &NatsServers,
        team: &Team,
        credentials: &Credentials,
    ) -> Result<Self> {
        let addresses = addresses(servers)?;
        let (reconnected, is_mute) = (hint_channel(), Arc::new(AtomicBool::new(false)));
        let options = options(servers, credentials)?;
        let options = heard(options, reconnected.clone(), Arc::clone(&is_mute));
        let client = options.connect(addresses).await;
        let client = client.map_err(|it| fault::connecting(&it, credentials))?;
        check_version(&client.server_info().version)?;
        let context = ContextBuilder::new().timeout(ANSWER).build(client);
        let layout = Arc::new(assets::layout(&context, team, servers).await?);
        let (team, servers) = (team.clone(), servers.clone());
        let reads = if servers.streams.is_some() { Reads::Bound } else { Reads::Open };
        let spots = Arc::default();
        let hub = Self { context, team, servers, layout, reads, spots, is_mute, reconnected };
        assets::ensure(&hub).await?;
        Ok(hub)
    }

    /// Whether the hub is connected now.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.context.client().connection_state() == State::Connected
    }
}

/// A connection without anything of a team, whose answers come to inboxes below this subject.
pub(super) async fn client(
    servers: &NatsServers,
    credentials: &Credentials,
    inbox: &str,
) -> Result<Client> {
    let options = options(servers, credentials)?.custom_inbox_prefix(inbox);
    let client = options.connect(addresses(servers)?).await;
    let client = client.map_err(|it| fault::connecting(&it, credentials))?;
    check_version(&client.server_info().version)?;
    Ok(client)
}

fn addresses(servers: &NatsServers) -> Result<Vec<ServerAddr>> {
    let parsed = servers.hosts.iter().map(|host| host.parse());
    let parsed: std::result::Result<_, _> = parsed.collect();
    parsed.map_err(|error: std::io::Error| HubError::Refused(error.to_string()))
}

/// Handles an event of the connection.
fn heard(
    options: ConnectOptions,
    reconnected: Sender<Hint>,
    is_mute: Arc<AtomicBool>,
) -> ConnectOptions {
    options.event_callback(move |event| {
        match event {
            Event::Connected => {
                // Another server, or a changed configuration, may allow beats.
                is_mute.store(false, Ordering::Relaxed);
                tracing::debug!("the NATS server is connected");
                // Having no subscribers is fine.
                reconnected.send(Hint::Anything).ok();
            }
            Event::ServerError(ServerError::Other(why)) if is_about_beats(&why) => {
                is_mute.store(true, Ordering::Relaxed);
            }
            Event::ServerError(error) => tracing::warn!(%error, "the NATS server reports an error"),
            Event::ClientError(error) => tracing::warn!(%error, "the NATS client reports an error"),
            Event::SlowConsumer(_) => tracing::warn!("messages of the NATS server were lost"),
            Event::Disconnected | Event::LameDuckMode | Event::Draining | Event::Closed => {
                tracing::debug!(%event, "the NATS connection changes");
            }
        }
        std::future::ready(())
    })
}

fn is_about_beats(why: &str) -> bool {
    let why = why.to_lowercase();
    why.starts_with("permissions violation for publish") && why.contains(".beat.")
}

/// The pause before an attempt to connect: random, so that many devices do not reconnect at once,
/// and growing, because a server that rejects a device will keep doing so.
fn pause(tries: usize, chance: u64) -> Duration {
    let tries = u32::try_from(tries).unwrap_or(u32::MAX).saturating_sub(1);
    let longest = if tries < MANY { PAUSE } else { LONG_PAUSE };
    let longest = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(tries)).min(longest);
    let most = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(chance % most.saturating_add(1))
}

/// Randomness from this process and instant; it never protects anything.
fn chance() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn options(servers: &NatsServers, credentials: &Credentials) -> Result<ConnectOptions> {
    let options = ConnectOptions::new()
        .name("taffrail")
        .connection_timeout(CONNECT)
        .request_timeout(Some(ANSWER))
        .ping_interval(PING)
        .require_tls(servers.tls == Tls::Required)
        .reconnect_delay_callback(|tries| pause(tries, chance()));
    let options = match &servers.ca {
        Some(ca) => options.add_root_certificates(ca.clone()),
        None => options,
    };
    let options = match servers.pins.is_empty() {
        true => options,
        false => options
            .tls_client_config(certificate::pinned(&servers.pins).map_err(|it| unusable(&it))?),
    };
    match &credentials.nats {
        None => Ok(options),
        Some(NatsKey::Token(token)) => Ok(options.token(token.clone())),
        Some(NatsKey::Password { user, password }) => {
            Ok(options.user_and_password(user.clone(), password.clone()))
        }
        Some(NatsKey::Seed(seed)) => {
            let options = options.nkey(seed.clone());
            // Answers to this device go below a subject that a server can keep from others.
            let pair = nkeys::KeyPair::from_seed(seed).map_err(|_| odd_seed())?;
            Ok(options.custom_inbox_prefix(format!("_INBOX.{}", pair.public_key())))
        }
        Some(NatsKey::Creds(text)) => {
            let odd = |_| HubError::Refused("the text is not a .creds file of NATS".to_owned());
            options.credentials(text).map_err(odd)
        }
    }
}

fn odd_seed() -> HubError {
    HubError::Refused("the credentials are not the seed of an NKey".to_owned())
}

fn unusable(error: &async_nats::rustls::Error) -> HubError {
    HubError::Refused(error.to_string())
}

fn check_version(version: &str) -> Result<()> {
    let mut numbers = version.split('.').map_while(|it| it.parse::<u32>().ok());
    let known = numbers.next().zip(numbers.next());
    if known.is_some_and(|it| it >= OLDEST) {
        return Ok(());
    }
    let (major, minor) = OLDEST;
    Err(HubError::Refused(format!(
        "nats-server {version} is too old. Use {major}.{minor} or newer"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_shut_out_does_not_knock_every_two_seconds() {
        let longest = |tries| (0..2_000).map(|it| pause(tries, it * 977)).max().unwrap();
        let shortest = |tries| (0..2_000).map(|it| pause(tries, it * 977)).min().unwrap();
        assert!(longest(1) <= FIRST_PAUSE);
        for tries in [12, 30] {
            assert!(longest(tries) > PAUSE * 9 / 10 && longest(tries) <= PAUSE, "{tries}");
            assert!(shortest(tries) < PAUSE / 10, "{tries}: many devices come back one by one");
        }
        assert!(longest(60) > LONG_PAUSE / 2 && longest(usize::MAX) <= LONG_PAUSE);
        let knocks = |tries: std::ops::Range<usize>| -> Duration {
            tries.map(|it| pause(it, chance())).sum()
        };
        assert!(knocks(100..160) > Duration::from_hours(2), "sixty knocks take hours");
    }

    #[test]
    fn a_server_that_lets_no_beats_through_is_noticed() {
        let text = |subject: &str| format!("Permissions Violation for Publish to \"{subject}\"");
        assert!(is_about_beats(&text("taffrail.t.beat.d")));
        assert!(!is_about_beats(&text("taffrail.t.log.d.own.1")));
    }

    #[test]
    fn old_servers_are_refused() {
        for (version, is_fine) in
            [("2.15.1", true), ("2.11.0", true), ("2.10.29", false), ("3.0.0", true), ("?", false)]
        {
            assert_eq!(check_version(version).is_ok(), is_fine, "{version}");
        }
    }
}
