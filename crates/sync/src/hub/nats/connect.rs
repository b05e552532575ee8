//! Connecting, and staying connected.

use super::{NatsHub, assets, fault};
use crate::hub::address::Tls;
use crate::hub::hints::hint_channel;
use crate::hub::{Credentials, Hint, HubError, NatsKey, NatsServers, Result, Team};
use async_nats::connection::State;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::{ConnectOptions, Event, ServerAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Sender;

/// How long an answer is waited for. A new leader was seen to take up to eight seconds; callers
/// try again.
const ANSWER: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(5);
/// A connection that says nothing is given up after two of these.
const PING: Duration = Duration::from_secs(10);
/// The longest pause between two tries to connect.
const PAUSE: Duration = Duration::from_secs(2);
/// The first version that answers batches.
const OLDEST: (u32, u32) = (2, 11);

impl NatsHub {
    /// Connects and makes what the team lacks on the servers.
    pub async fn connect(
        servers: &NatsServers,
        team: &Team,
        credentials: &Credentials,
    ) -> Result<Self> {
        let addresses = addresses(servers)?;
        let reconnected = hint_channel();
        let options = options(servers, credentials, reconnected.clone())?;
        let client = options.connect(addresses).await.map_err(|it| fault::connecting(&it))?;
        check_version(&client.server_info().version)?;
        let context = ContextBuilder::new().timeout(ANSWER).build(client);
        let (team, servers) = (team.clone(), servers.clone());
        let hub = Self { context, team, servers, spots: Arc::default(), reconnected };
        assets::ensure(&hub).await?;
        Ok(hub)
    }

    /// Whether there is a connection now.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.context.client().connection_state() == State::Connected
    }
}

fn addresses(servers: &NatsServers) -> Result<Vec<ServerAddr>> {
    let parsed = servers.hosts.iter().map(|host| host.parse());
    let parsed: std::result::Result<_, _> = parsed.collect();
    parsed.map_err(|error: std::io::Error| HubError::Refused(error.to_string()))
}

fn options(
    servers: &NatsServers,
    credentials: &Credentials,
    reconnected: Sender<Hint>,
) -> Result<ConnectOptions> {
    let options = ConnectOptions::new()
        .name("taffrail")
        .connection_timeout(CONNECT)
        .request_timeout(Some(ANSWER))
        .ping_interval(PING)
        .require_tls(servers.tls == Tls::Required)
        .reconnect_delay_callback(|tries| {
            let tries = u32::try_from(tries).unwrap_or(u32::MAX).saturating_sub(1);
            Duration::from_millis(50).saturating_mul(2_u32.saturating_pow(tries)).min(PAUSE)
        })
        .event_callback(move |event| {
            if matches!(event, Event::Connected) {
                // Without a watcher nobody needs it.
                reconnected.send(Hint::Anything).ok();
            }
            std::future::ready(())
        });
    let options = match &servers.ca {
        Some(ca) => options.add_root_certificates(ca.clone()),
        None => options,
    };
    match &credentials.nats {
        None => Ok(options),
        Some(NatsKey::Token(token)) => Ok(options.token(token.clone())),
        Some(NatsKey::Password { user, password }) => {
            Ok(options.user_and_password(user.clone(), password.clone()))
        }
        Some(NatsKey::Seed(seed)) => Ok(options.nkey(seed.clone())),
        Some(NatsKey::Creds(text)) => {
            let odd = |_| HubError::Refused("the text is no .creds file of NATS".to_owned());
            options.credentials(text).map_err(odd)
        }
    }
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
    fn old_servers_are_refused() {
        for (version, is_fine) in
            [("2.15.1", true), ("2.11.0", true), ("2.10.29", false), ("3.0.0", true), ("?", false)]
        {
            assert_eq!(check_version(version).is_ok(), is_fine, "{version}");
        }
    }
}
