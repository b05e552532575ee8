//! One connection to an agent's server.

use crate::live::Handle;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use std::io;
use taffrail_adapters::{Answer, ServerMessage, ServerPlan, ServerRequest, ServerState};
use taffrail_approvals::body_of;
use taffrail_approvals::broker::AskOutcome;
use taffrail_context::write_entry;
use taffrail_model::hash;
use taffrail_model::{Origin, Process, Timestamp};
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio_tungstenite::tungstenite::{Error, Message};

/// A connection, and its requests that wait here.
#[derive(Debug)]
pub(super) struct Connection<'h> {
    handle: &'h Handle,
    agent: &'static str,
    plan: &'static ServerPlan,
    talk: ServerState,
    since: Timestamp,
    waiting: JoinSet<(String, Option<Answer>)>,
}

impl<'h> Connection<'h> {
    pub(super) fn new(
        handle: &'h Handle,
        agent: &'static str,
        plan: &'static ServerPlan,
        process: Option<Process>,
    ) -> Self {
        let (since, talk) = ((handle.settings().now)(), ServerState::with(process));
        Self { handle, agent, plan, talk, since, waiting: JoinSet::new() }
    }

    /// Greets the server and listens until it is gone.
    pub(super) async fn listen<S>(mut self, mut stream: S) -> io::Result<()>
    where
        S: Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Unpin,
    {
        for text in self.plan.hello {
            say(&mut stream, (*text).to_owned()).await?;
        }
        loop {
            let said = tokio::select! {
                message = stream.next() => match message {
                    Some(Ok(Message::Text(text))) => self.received(&text).await?,
                    Some(Ok(Message::Close(_)) | Err(Error::ConnectionClosed)) | None => break,
                    Some(Ok(_)) => Vec::new(),
                    Some(Err(error)) => return ended(error),
                },
                Some(done) = self.waiting.join_next() => self.answered(done),
            };
            for text in said {
                say(&mut stream, text).await?;
            }
        }
        Ok(())
    }

    /// Handles a message and returns the replies.
    async fn received(&mut self, text: &str) -> io::Result<Vec<String>> {
        let mut replies = Vec::new();
        for said in (self.plan.read)(&mut self.talk, text) {
            match said {
                ServerMessage::Status(payload) => self.write(payload).await?,
                ServerMessage::Reply(text) => replies.push(text),
                ServerMessage::Request(it) => replies.extend(self.asked(*it).await?),
            }
        }
        Ok(replies)
    }

    async fn write(&self, payload: String) -> io::Result<()> {
        let (handle, agent) = (self.handle.clone(), self.agent);
        let since = self.since.as_nanosecond().to_le_bytes();
        let mark = hash::digest("server-entry", &[payload.as_bytes(), &since]);
        let entry = (agent, Origin::Registry);
        spawn_blocking(move || write_entry(handle.settings(), entry, mark, &payload)).await?
    }

    /// Asks the broker; the request may be answered at once.
    async fn asked(&mut self, asks: ServerRequest) -> io::Result<Option<String>> {
        let ServerRequest { key, nonce, at, request, status: stands } = asks;
        let body = body_of(request, &nonce, at.unwrap_or_else(self.handle.settings().now));
        self.write(stands).await?;
        let handle = self.handle.clone();
        let asked = spawn_blocking(move || handle.broker().ask_beside(&body)).await?;
        Ok(match asked.map_err(io::Error::other)? {
            AskOutcome::Answered(answer) => Some((self.plan.answer)(&key, &answer)),
            AskOutcome::Left => None,
            AskOutcome::Held(held) => {
                self.waiting.spawn(async move { (key, held.answered().await) });
                None
            }
        })
    }

    /// The reply for a request that waited; none if it was closed otherwise.
    fn answered(&self, done: Result<(String, Option<Answer>), JoinError>) -> Vec<String> {
        // A failed task has no answer: the agent's own dialog is open.
        let answer = done.ok().and_then(|(key, answer)| Some((key, answer?)));
        answer.into_iter().map(|(key, answer)| (self.plan.answer)(&key, &answer)).collect()
    }
}

async fn say<S>(stream: &mut S, text: String) -> io::Result<()>
where
    S: Sink<Message, Error = Error> + Unpin,
{
    stream.send(Message::Text(text.into())).await.map_err(io::Error::other)
}

/// A killed server closes without a goodbye, which is not an error.
fn ended(error: Error) -> io::Result<()> {
    match error {
        Error::Protocol(_) | Error::Io(_) | Error::AlreadyClosed => Ok(()),
        error => Err(io::Error::other(error)),
    }
}
