//! One talk with a server.

use crate::desk::{Asked, body_of};
use crate::live::{Handle, write_entry};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use std::io;
use taffrail_adapters::{Answer, ServerAsks, ServerPlan, ServerSays, Talk};
use taffrail_model::hash;
use taffrail_model::{Origin, Process, Timestamp};
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio_tungstenite::tungstenite::{Error, Message};

/// A talk, and the requests of it that wait here.
#[derive(Debug)]
pub(super) struct Telling<'h> {
    handle: &'h Handle,
    agent: &'static str,
    plan: &'static ServerPlan,
    talk: Talk,
    since: Timestamp,
    waiting: JoinSet<(String, Option<Answer>)>,
}

impl<'h> Telling<'h> {
    pub(super) fn new(
        handle: &'h Handle,
        agent: &'static str,
        plan: &'static ServerPlan,
        process: Option<Process>,
    ) -> Self {
        let (since, talk) = ((handle.settings().now)(), Talk::with(process));
        Self { handle, agent, plan, talk, since, waiting: JoinSet::new() }
    }

    /// Says hello and listens until the server is gone.
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
                    Some(Ok(Message::Text(text))) => self.heard(&text).await?,
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

    /// Takes a message in, and gives what is said in return.
    async fn heard(&mut self, text: &str) -> io::Result<Vec<String>> {
        let mut replies = Vec::new();
        for said in (self.plan.hear)(&mut self.talk, text) {
            match said {
                ServerSays::Stands(payload) => self.write(payload).await?,
                ServerSays::Reply(text) => replies.push(text),
                ServerSays::Asks(it) => replies.extend(self.asked(*it).await?),
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

    /// Puts a request on the desk; it may be answered at once.
    async fn asked(&mut self, asks: ServerAsks) -> io::Result<Option<String>> {
        let ServerAsks { key, nonce, at, request, stands } = asks;
        let body = body_of(request, &nonce, at.unwrap_or_else(self.handle.settings().now));
        self.write(stands).await?;
        let handle = self.handle.clone();
        let asked = spawn_blocking(move || handle.desk().ask_beside(&handle, &body)).await?;
        Ok(match asked.map_err(io::Error::other)? {
            Asked::Answered(answer) => Some((self.plan.answer)(&key, &answer)),
            Asked::Left => None,
            Asked::Held(held) => {
                self.waiting.spawn(async move { (key, held.answered().await) });
                None
            }
        })
    }

    /// What is said of a request that waited; one that was closed otherwise needs no word.
    fn answered(&self, done: Result<(String, Option<Answer>), JoinError>) -> Vec<String> {
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

/// A server that was killed says no farewell.
fn ended(error: Error) -> io::Result<()> {
    match error {
        Error::Protocol(_) | Error::Io(_) | Error::AlreadyClosed => Ok(()),
        error => Err(io::Error::other(error)),
    }
}
