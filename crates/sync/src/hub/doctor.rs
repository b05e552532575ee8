//! What is known of a hub, as checks a face can show.

#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
use super::{BlobName, Content, Hub, HubError, KeyName, Put, Result, Revision, Swapped};

/// What a check is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// Whether it answers.
    Reached,
    /// Which version of its engine it is.
    Version,
    /// Whether of two that create the same name one is refused.
    CreateIfAbsent,
    /// Whether a write under an old revision is refused.
    CompareAndSet,
    /// Whether what it acknowledged outlives a power cut.
    Durability,
    /// How many copies it keeps.
    Copies,
    /// Whether the way to it is encrypted.
    Transport,
    /// How much it takes at once.
    Payload,
}

/// How it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Good,
    /// It cannot be known from here.
    Unknown,
    /// It works, and something can go wrong.
    Weak,
    /// It must not be used like this.
    Bad,
}

/// One thing that is known of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubCheck {
    /// What it is about.
    pub aspect: Aspect,
    /// How it stands.
    pub level: Level,
    /// What is so and what to do.
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

/// How many write at once to see whether only one succeeds.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
const RIVALS: usize = 8;
/// The key and the blob that are written to see whether the rules hold.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
const PROBE: &str = "doctor/probe";

/// Tries both rules everything else rests on. One key and one blob of a few bytes stay behind.
#[cfg(any(feature = "hub-nats", feature = "hub-object"))]
pub(crate) async fn try_rules(hub: &impl Hub) -> Vec<HubCheck> {
    let swapped = rivals(hub).await.map(judge_rivals);
    let created = create_twice(hub).await.map(judge_second);
    let found = [swapped, created].map(|it| it.unwrap_or_else(|error| unreached(&error)));
    found.into()
}

/// What it means that so many of several writers succeeded.
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

/// What it means that a second blob under one name was answered like this.
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
