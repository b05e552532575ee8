//! Checks of a hub, for display.

#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
use super::{BlobName, Content, Hub, HubError, KeyName, Put, Result, Revision, Swapped};

/// The subject of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// Whether the hub answers.
    Reached,
    /// The version of its engine.
    Version,
    /// Whether it refuses one of two that create the same name.
    CreateIfAbsent,
    /// Whether it refuses a write with an old revision.
    CompareAndSet,
    /// Whether acknowledged data survives a power failure.
    Durability,
    /// The number of replicas.
    Copies,
    /// Whether the connection is encrypted.
    Transport,
    /// The largest message.
    Payload,
    /// Readers that the server cut off because they were slow.
    SlowConsumers,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Good.
    Good,
    /// It cannot be determined from here.
    Unknown,
    /// It works, but something can go wrong.
    Weak,
    /// The hub must not be used like this.
    Bad,
}

/// One check of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubCheck {
    /// The subject.
    pub aspect: Aspect,
    /// The result.
    pub level: Level,
    /// The fact and the next step.
    pub message: String,
}

impl HubCheck {
    #[cfg(any(feature = "hub-nats", feature = "hub-object"))]
    pub(crate) fn good(aspect: Aspect, message: impl Into<String>) -> Self {
        Self { aspect, level: Level::Good, message: message.into() }
    }

    #[cfg(any(feature = "hub-nats", feature = "hub-object"))]
    pub(crate) fn unknown(aspect: Aspect, message: impl Into<String>) -> Self {
        Self { aspect, level: Level::Unknown, message: message.into() }
    }

    #[cfg(any(feature = "hub-nats", feature = "hub-object"))]
    pub(crate) fn weak(aspect: Aspect, message: impl Into<String>) -> Self {
        Self { aspect, level: Level::Weak, message: message.into() }
    }

    pub(crate) fn bad(aspect: Aspect, message: impl Into<String>) -> Self {
        Self { aspect, level: Level::Bad, message: message.into() }
    }
}

/// The number of concurrent writers, of which only one may succeed.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
const RIVALS: usize = 8;
/// The key and the blob written to test the rules.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
const PROBE: &str = "doctor/probe";

/// Tests the two rules that everything else relies on. One key and one small blob remain.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
pub(crate) async fn try_rules(hub: &impl Hub) -> Vec<HubCheck> {
    let swapped = rivals(hub).await.map(judge_rivals);
    let created = create_twice(hub).await.map(judge_second);
    let found = [swapped, created].map(|it| it.unwrap_or_else(|error| unreached(&error)));
    found.into()
}

/// The check for this number of successful writers.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
fn judge_rivals(winners: usize) -> HubCheck {
    match winners {
        1 => HubCheck::good(Aspect::CompareAndSet, "Of eight writers at once one succeeds."),
        0 => HubCheck::unknown(Aspect::CompareAndSet, "Another device tried this just now."),
        many => HubCheck::bad(
            Aspect::CompareAndSet,
            format!("Of eight writers at once {many} succeed. Leases do not hold on this hub."),
        ),
    }
}

/// The check for the result of a second blob under one name.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
fn judge_second(second: Put) -> HubCheck {
    match second {
        Put::Conflict => HubCheck::good(Aspect::CreateIfAbsent, "What is there is not replaced."),
        Put::New | Put::Already => HubCheck::bad(
            Aspect::CreateIfAbsent,
            "It replaces what is there. Use another store for a hub.",
        ),
    }
}

/// The check of a hub that does not answer.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
pub(crate) fn unreached(error: &HubError) -> HubCheck {
    HubCheck::bad(Aspect::Reached, error.to_string())
}

#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
async fn rivals(hub: &impl Hub) -> Result<usize> {
    let key = KeyName::new(PROBE).map_err(|error| HubError::Refused(error.to_string()))?;
    let expected: Option<Revision> = hub.get(&key).await?.map(|value| value.revision);
    let tries = (0..RIVALS).map(|rival| hub.cas(&key, expected, rival.to_string().into()));
    let answers = futures_util::future::join_all(tries).await;
    let answers = answers.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(answers.iter().filter(|answer| matches!(answer, Swapped::Done(_))).count())
}

#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
async fn create_twice(hub: &impl Hub) -> Result<Put> {
    let name = BlobName::new(PROBE).map_err(|error| HubError::Refused(error.to_string()))?;
    hub.put_blob(&name, &Content::Bytes("first".into())).await?;
    hub.put_blob(&name, &Content::Bytes("second".into())).await
}

#[cfg(all(test, any(feature = "hub-nats", feature = "hub-object")))]
mod tests {
    use super::*;
    use crate::hub::MemoryHub;

    #[test]
    fn a_store_that_keeps_no_rule_is_bad() {
        let levels = [0, 1, 2, 8].map(|winners| judge_rivals(winners).level);
        assert_eq!(levels, [Level::Unknown, Level::Good, Level::Bad, Level::Bad]);
        let levels = [Put::New, Put::Already, Put::Conflict].map(|put| judge_second(put).level);
        assert_eq!(levels, [Level::Bad, Level::Bad, Level::Good]);
    }

    #[tokio::test]
    async fn rules_can_be_tried_again_and_again() {
        let hub = MemoryHub::new();
        for _ in 0..3 {
            let levels: Vec<_> = try_rules(&hub).await.iter().map(|it| it.level).collect();
            assert_eq!(levels, [Level::Good, Level::Good]);
        }
    }
}
