//! A scripted editor: the other end of an agent that speaks the Agent Client Protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long an agent may take for one answer; the first start of some takes its time.
const PATIENCE: Duration = Duration::from_secs(120);

/// An editor with an agent. It answers no request of the agent by itself.
#[derive(Debug)]
pub struct Editor {
    agent: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    sent: Vec<u8>,
    received: Arc<Mutex<Vec<u8>>>,
    /// What the agent sent, besides answers.
    seen: Vec<Value>,
    answers: Vec<Value>,
    calls: u64,
}

impl Editor {
    /// Starts an agent with this command.
    #[must_use]
    pub fn start(mut command: Command) -> Self {
        let mut agent = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(agent.stdout.take().unwrap());
        let (give, messages) = channel();
        let received = Arc::new(Mutex::new(Vec::new()));
        let all = received.clone();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|it| it > 0) {
                all.lock().unwrap().extend_from_slice(&line);
                // What is not JSON is for a person who reads along.
                if let Ok(message) = serde_json::from_slice(&line)
                    && give.send(message).is_err()
                {
                    break;
                }
                line.clear();
            }
        });
        let (input, seen, answers) = (agent.stdin.take(), Vec::new(), Vec::new());
        Self { agent, input, messages, sent: Vec::new(), received, seen, answers, calls: 0 }
    }

    /// Every byte that was sent.
    #[must_use]
    pub fn sent(&self) -> &[u8] {
        &self.sent
    }

    /// Every byte that came, up to the last line's end.
    #[must_use]
    pub fn received(&self) -> Vec<u8> {
        self.received.lock().unwrap().clone()
    }

    /// The messages that passed in both directions.
    #[must_use]
    pub fn passed(&self) -> usize {
        let lines = |bytes: &[u8]| bytes.iter().filter(|it| **it == b'\n').count();
        lines(&self.sent) + lines(&self.received.lock().unwrap())
    }

    /// Sends a request, and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.calls += 1;
        let id = self.calls;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a message.
    pub fn say(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        self.sent.extend_from_slice(line.as_bytes());
    }

    /// Sends a request, and waits for its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Waits for the result of a request.
    pub fn answer(&mut self, id: u64) -> Value {
        let mut reply = self.reply(id);
        assert!(reply["error"].is_null(), "request {id}: {reply}");
        reply["result"].take()
    }

    /// Waits for the reply to a request, which may be an error.
    pub fn reply(&mut self, id: u64) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.answers.iter().position(|it| it["id"] == id) {
                return self.answers.remove(at);
            }
            self.receive(end);
        }
    }

    /// Waits for a message of the agent with this method.
    pub fn wait_for(&mut self, method: &str) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.iter().position(|it| it["method"] == method) {
                return self.seen.remove(at);
            }
            self.receive(end);
        }
    }

    fn receive(&mut self, end: Instant) {
        let left = end.saturating_duration_since(Instant::now());
        match self.messages.recv_timeout(left) {
            Ok(it) if it["method"].is_null() => self.answers.push(it),
            Ok(it) => self.seen.push(it),
            Err(RecvTimeoutError::Timeout) => {
                panic!("the agent is silent; it sent {:?}", self.seen)
            }
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the agent ended: {:?}; it sent {:?}", self.agent.try_wait(), self.seen)
            }
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.input.take());
        // The agent may have ended already.
        self.agent.kill().ok();
        self.agent.wait().ok();
    }
}
