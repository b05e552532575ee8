//! What filled the context of a session, estimated between each two answers.
//!
//! The size of the context after each answer is known. What it grew by is attributed to the events
//! in between: a reply by its tokens, everything else by its bytes. What these do not explain is
//! the agent's own: instructions, definitions of tools, reminders.

use std::collections::BTreeMap;
use taffrail_model::Kind;
use taffrail_model::answer::{Answer, Side, Step};
use taffrail_model::cost::divided;

/// How many bytes count as a token. A guess: the true number depends on model and language.
const BYTES_PER_TOKEN: u64 = 4;

/// What fills a context.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Filler {
    /// What the agent adds by itself, and whatever the record does not explain.
    Agent,
    /// Prompts.
    Prompt,
    /// Earlier answers of the model.
    Reply,
    /// What the agent kept at a compaction, its own instructions included.
    Summary,
    /// Results of a tool.
    ToolResult(String),
}

/// Tokens by what they are.
pub type Shares = BTreeMap<Filler, u64>;

/// The context of a session so far.
#[derive(Debug, Clone, Default)]
pub struct Fill {
    context: Option<u64>,
    shares: Shares,
    /// Estimates of what was added since the latest answer with a known context.
    added: Shares,
    is_compacted: bool,
}

impl Fill {
    /// The size of the context that the latest answer was sent, if known.
    #[must_use]
    pub fn context(&self) -> Option<u64> {
        self.context
    }

    /// What that context consists of; the parts add up to its size.
    #[must_use]
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// Adds an answer and the events since the one before; returns what the context grew by.
    pub(super) fn take(&mut self, answer: &Answer, steps: &[Step<'_>]) -> Shares {
        steps.iter().for_each(|step| self.add(step));
        let grown = match answer.tokens.context() {
            Some(context) => self.grow(context),
            None => Shares::new(),
        };
        let reply = answer.tokens.output.saturating_sub(answer.tokens.reasoning);
        *self.added.entry(Filler::Reply).or_default() += reply;
        grown
    }

    fn add(&mut self, step: &Step<'_>) {
        let filler = match step.kind {
            Kind::ContextCompacted => {
                (self.is_compacted, self.added) = (true, Shares::new());
                return;
            }
            _ if step.side != Side::Input => return,
            Kind::ToolResult => Filler::ToolResult(step.tool.unwrap_or("unknown").to_owned()),
            _ => Filler::Prompt,
        };
        *self.added.entry(filler).or_default() += step.bytes.div_ceil(BYTES_PER_TOKEN);
    }

    fn grow(&mut self, context: u64) -> Shares {
        let added = std::mem::take(&mut self.added);
        let is_compacted = std::mem::take(&mut self.is_compacted);
        if is_compacted {
            (self.context, self.shares) = (None, Shares::new());
        }
        let before = self.context.replace(context).unwrap_or(0);
        let Some(growth) = context.checked_sub(before) else {
            // The agent took something out of the context, and nobody says what.
            self.shares = scaled(std::mem::take(&mut self.shares), context);
            return Shares::new();
        };
        let grown =
            explained(added, growth, if is_compacted { Filler::Summary } else { Filler::Agent });
        for (filler, tokens) in &grown {
            *self.shares.entry(filler.clone()).or_default() += tokens;
        }
        grown
    }
}

/// Estimates that add up to a known growth.
fn explained(added: Shares, growth: u64, rest: Filler) -> Shares {
    let sum: u64 = added.values().sum();
    let mut out = if sum > growth { scaled(added, growth) } else { added };
    *out.entry(rest).or_default() += growth.saturating_sub(sum);
    out.retain(|_, tokens| *tokens > 0);
    out
}

fn scaled(shares: Shares, total: u64) -> Shares {
    let weights: Vec<u64> = shares.values().copied().collect();
    let parts = divided(i64::try_from(total).unwrap_or(i64::MAX), &weights);
    let parts = parts.into_iter().map(|it| u64::try_from(it).unwrap_or(0));
    shares.into_keys().zip(parts).collect()
}
