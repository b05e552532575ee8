//! Checks of NATS servers.

use super::layout::Layout;
use super::{NatsHub, Reads, assets, monitor};
use crate::hub::address::Tls;
use crate::hub::doctor::{try_rules, unreached};
use crate::hub::{Aspect, ENTRY_LIMIT, HubCheck, HubError};
use async_nats::ServerInfo;

/// Older servers lost streams when they were killed.
const SOUND: (u32, u32, u32) = (2, 11, 0);

pub(super) async fn doctor(hub: &NatsHub) -> Vec<HubCheck> {
    let info = hub.context.client().server_info();
    let mut checks = try_rules(hub).await;
    checks.push(version(&info));
    checks.push(transport(hub, &info));
    checks.push(payload(&info));
    checks.push(copies(hub).await);
    checks.extend(erasing(hub).await);
    checks.push(durability(hub).await);
    checks.push(slow_consumers(hub).await);
    checks
}

fn version(info: &ServerInfo) -> HubCheck {
    let (major, minor, _) = SOUND;
    let message = format!("nats-server {}; {major}.{minor} and newer will do.", info.version);
    HubCheck::good(Aspect::Version, message)
}

fn transport(hub: &NatsHub, info: &ServerInfo) -> HubCheck {
    if hub.servers.tls == Tls::Required || info.tls_required {
        return HubCheck::good(Aspect::Transport, "The way to the server is encrypted (TLS).");
    }
    HubCheck::weak(
        Aspect::Transport,
        "The way to the server is not encrypted. What is sealed stays sealed; who listens sees \
         names, sizes and times, and passwords. Use tls:// beyond this machine.",
    )
}

fn payload(info: &ServerInfo) -> HubCheck {
    let (has, needs) = (info.max_payload, ENTRY_LIMIT + assets::HEADERS);
    if has >= needs {
        return HubCheck::good(Aspect::Payload, format!("The server takes {has} bytes at once."));
    }
    let message = format!("The server takes {has} bytes at once. Set max_payload to {needs}.");
    HubCheck::bad(Aspect::Payload, message)
}

async fn copies(hub: &NatsHub) -> HubCheck {
    if hub.reads == Reads::Bound {
        return HubCheck::unknown(
            Aspect::Copies,
            "The server has several teams and shows none of them its streams. Its operator knows how \
             many servers have everything.",
        );
    }
    let stream = hub.context.get_stream(&hub.layout.log_stream).await;
    match stream.map(|stream| stream.cached_info().config.num_replicas) {
        Ok(1) => HubCheck::weak(
            Aspect::Copies,
            "One server has everything. If its disk is lost, devices give it all again.",
        ),
        Ok(copies) => HubCheck::good(Aspect::Copies, format!("{copies} servers have everything.")),
        Err(error) => unreached(&HubError::Unreachable(error.to_string())),
    }
}

/// Streams made by hand, or by an earlier version, may let their users erase messages.
async fn erasing(hub: &NatsHub) -> Option<HubCheck> {
    if hub.reads == Reads::Bound {
        return None;
    }
    let is_own = *hub.layout == Layout::own(&hub.team);
    for name in hub.layout.streams() {
        let stream = hub.context.get_stream(name).await;
        let config = stream.map(|it| it.cached_info().config.clone()).ok()?;
        if config.allow_rollup || !config.deny_delete || (is_own && !config.deny_purge) {
            let message = format!(
                "The stream {name} lets whoever comes in erase what is in it. An emptied hub is filled again: \
                 stop the server, remove its store, and start it."
            );
            return Some(HubCheck::weak(Aspect::Copies, message));
        }
    }
    None
}

async fn slow_consumers(hub: &NatsHub) -> HubCheck {
    let Some(monitor) = &hub.servers.monitor else {
        return HubCheck::unknown(
            Aspect::SlowConsumers,
            "A client cannot see whether the server cuts off slow readers: ?monitor=http://HOST:8222 in the \
             address has it checked.",
        );
    };
    match monitor::slow_consumers(monitor).await {
        Ok(0) => HubCheck::good(Aspect::SlowConsumers, "The server cut off no slow reader."),
        Ok(count) => HubCheck::weak(
            Aspect::SlowConsumers,
            format!(
                "The server cut off slow readers {count} times since its start: a device or its network is too \
                 slow. They connect again and read on; `taffrail hub doctor --json` names who is behind."
            ),
        ),
        Err(why) => {
            HubCheck::unknown(Aspect::SlowConsumers, format!("{monitor} did not say: {why}"))
        }
    }
}

async fn durability(hub: &NatsHub) -> HubCheck {
    let Some(monitor) = &hub.servers.monitor else {
        return HubCheck::unknown(
            Aspect::Durability,
            "A client cannot see whether the server flushes to the disk before it answers. What `taffrail hub \
             config` writes has it do so. To see it, run on the server's own machine: curl -s \
             'http://127.0.0.1:8222/jsz?config=true' | grep sync_always. Where the server's monitoring can be \
             reached from here, ?monitor=http://HOST:8222 in the address has it checked.",
        );
    };
    match monitor::sync_interval(monitor).await {
        Ok(monitor::Sync::Always) => {
            HubCheck::good(Aspect::Durability, "The server flushes to the disk before it answers.")
        }
        Ok(monitor::Sync::Every(seconds)) => HubCheck::bad(
            Aspect::Durability,
            format!(
                "The server flushes to the disk every {seconds} s: a power cut loses what came \
                 since, or the whole stream. Set `sync_interval: always`."
            ),
        ),
        Err(why) => HubCheck::unknown(Aspect::Durability, format!("{monitor} did not say: {why}")),
    }
}
