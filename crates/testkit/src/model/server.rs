//! The server: records requests, sends answers, holds gates.

use super::pick::{Picked, Purpose, pick, recalled};
use super::say::{Answer, Say, text};
use super::stream::Reply;
use super::{Spent, Wire, http};
use crate::process::until_every;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The scenario for all summary requests, if a test defined it.
const SUMMARY: &str = "summary";
/// The scenario for all requests without tools, if a test defined it: titles, and the turns of an
/// agent that has no tools.
const SIDE: &str = "side";

/// A listening scripted model.
#[derive(Debug)]
pub struct Model {
    shared: Arc<Shared>,
    port: u16,
}

/// A request that was answered, or is about to be.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The API.
    pub wire: Wire,
    /// Its purpose, and its step in the scenario.
    pub picked: Picked,
    /// The whole request.
    pub body: Value,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    scripts: HashMap<String, Vec<Answer>>,
    /// The lines of headers of every answer.
    headers: String,
    asked: Vec<ModelRequest>,
    /// Gates that an answer waits at or has passed.
    reached: HashSet<String>,
    open: HashSet<String>,
    /// The test is over: every gate is open.
    over: bool,
}

impl Model {
    /// Serves this listener. The accepting thread ends with the test.
    #[must_use]
    pub fn start(listener: TcpListener) -> Self {
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                // A client that goes away during an answer, as after an interrupt, needs nothing
                // more.
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { shared, port }
    }

    /// The port on loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Defines a scenario: the first answer, the answer after the first results, and so on.
    pub fn script(&self, name: &str, answers: Vec<Answer>) {
        self.shared.state().scripts.insert(name.to_owned(), answers);
    }

    /// Sets headers of every answer from now on, such as those about the account's limits.
    pub fn send_headers(&self, headers: &[(&str, String)]) {
        let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        self.shared.state().headers = lines.collect();
    }

    /// All requests so far.
    #[must_use]
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.shared.state().asked.clone()
    }

    /// Waits until an answer is at a gate.
    pub fn reached(&self, gate: &str) {
        until_every(Duration::from_millis(2), &format!("an answer to reach {gate}"), || {
            self.shared.state().reached.contains(gate).then_some(())
        });
    }

    /// Opens a gate for good.
    pub fn release(&self, gate: &str) {
        self.shared.state().open.insert(gate.to_owned());
        self.shared.changed.notify_all();
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.state().over = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves one request. `None` when the client has gone away.
    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        let request = http::read(&stream)?;
        let wire = match (request.method.as_str(), request.path.as_str()) {
            ("POST", path) if path.ends_with("/v1/messages") => Wire::Messages,
            ("POST", path) if path.ends_with("/v1/responses") => Wire::Responses,
            ("POST", path) if path.ends_with("/chat/completions") => Wire::Chat,
            ("POST", path) if path.contains("enerateContent") => Wire::Gemini,
            (_, path) if path.ends_with("/models") => {
                let none = json!({"object": "list", "data": [], "models": []});
                return http::answer(&mut stream, (200, ""), &none);
            }
            _ => {
                let error = json!({"type": "not_found_error", "message": "not scripted"});
                let error = json!({"type": "error", "error": error});
                return http::answer(&mut stream, (404, ""), &error);
            }
        };
        let (number, answer) = self.answer(wire, &request.body);
        let headers = self.state().headers.clone();
        let reply = Reply { wire, number, model: &request.body["model"], spent: spent(&answer) };
        if let Some((status, error)) = failure(&answer) {
            return http::answer(&mut stream, (status, &headers), &error);
        }
        if !is_streamed(wire, &request.path, &request.body) {
            let wholes = self.contents(&reply, &answer, |_| Some(()))?;
            return http::answer(&mut stream, (200, &headers), &reply.whole(&wholes));
        }
        http::begin_stream(&mut stream, number, &headers)?;
        let mut send = |events: &[Value]| {
            let lines: String = events.iter().map(|it| reply.line(it)).collect();
            stream.write_all(lines.as_bytes()).ok()
        };
        send(&reply.opening())?;
        let wholes = self.contents(&reply, &answer, &mut send)?;
        send(&reply.closing(&wholes))
    }

    /// Sends piece after piece, waits at gates, and returns the complete pieces.
    fn contents(
        &self,
        reply: &Reply<'_>,
        answer: &[Say],
        mut send: impl FnMut(&[Value]) -> Option<()>,
    ) -> Option<Vec<Value>> {
        let mut wholes = Vec::new();
        for say in answer {
            if let Say::Hold(gate) = say {
                self.hold(gate);
            }
            if let Some(content) = say.content(reply.wire) {
                let part = reply.part(&content, wholes.len());
                send(&part.events)?;
                wholes.push(part.whole);
            }
        }
        Some(wholes)
    }

    /// Records a request and selects its answer.
    fn answer(&self, wire: Wire, body: &Value) -> (usize, Answer) {
        let picked = pick(wire, body);
        let mut state = self.state();
        let answers = state.scripts.get(&picked.scenario);
        let first = |name: &str| state.scripts.get(name).and_then(|it| it.first()).cloned();
        let answer = match (picked.purpose, answers) {
            (Purpose::Summary, _) => first(SUMMARY).unwrap_or_else(|| text("A scripted summary.")),
            (Purpose::Side, _) => {
                first(SIDE).unwrap_or_else(|| text("{\"title\": \"A scripted title\"}"))
            }
            (Purpose::Turn, None) => text("Nothing is scripted for this."),
            (Purpose::Turn, Some(answers)) => {
                answers.get(picked.step).cloned().unwrap_or_else(|| text("The script is over."))
            }
        };
        let recalled = recalled(body);
        let answer = answer.into_iter().map(|it| it.about(recalled.as_deref())).collect();
        state.asked.push(ModelRequest { wire, picked, body: body.clone() });
        (state.asked.len(), answer)
    }

    fn hold(&self, gate: &str) {
        let mut state = self.state();
        state.reached.insert(gate.to_owned());
        while !state.over && !state.open.contains(gate) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Whether a request wants its answer as a stream.
fn is_streamed(wire: Wire, path: &str, body: &Value) -> bool {
    match wire {
        Wire::Messages | Wire::Chat => body["stream"] == true,
        Wire::Responses => true,
        Wire::Gemini => path.contains("streamGenerateContent"),
    }
}

fn failure(answer: &[Say]) -> Option<(u16, Value)> {
    let overloaded = json!({"type": "overloaded_error", "message": "scripted"});
    answer.iter().find_map(|say| match say {
        Say::Fail(status) => Some((*status, json!({"type": "error", "error": overloaded}))),
        Say::Refuse(status, error) => Some((*status, error.clone())),
        _ => None,
    })
}

fn spent(answer: &[Say]) -> Spent {
    let said = answer.iter().find_map(|say| match say {
        Say::Spend(spent) => Some(*spent),
        _ => None,
    });
    said.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn ask(port: u16, path: &str, body: &Value) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let body = body.to_string();
        let head = format!("POST {path} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn model() -> Model {
        let model = Model::start(TcpListener::bind("127.0.0.1:0").unwrap());
        let held = vec![Say::Text("first".into()), Say::Hold("gate".into())];
        let held = [held, vec![Say::Shell("ls".into())]].concat();
        model.script("held", vec![held, text("after")]);
        model.script("broken", vec![vec![Say::Fail(529)]]);
        model
    }

    fn prompt(scenario: &str) -> Value {
        let content = format!("[[scenario:{scenario}]]");
        json!({"tools": [{}], "stream": true, "model": "m",
            "messages": [{"role": "user", "content": content}],
            "input": [{"role": "user", "content": content}]})
    }

    #[test]
    fn an_answer_waits_at_its_gate() {
        let model = model();
        for path in ["/v1/messages", "/v1/responses"] {
            let (port, path) = (model.port(), path.to_owned());
            let asking = std::thread::spawn(move || ask(port, &path, &prompt("held")));
            model.reached("gate");
            model.release("gate");
            let answer = asking.join().unwrap();
            assert!(answer.contains("first") && answer.contains("ls"), "{answer}");
        }
        let asked = model.asked();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[1].picked.scenario, "held");
    }

    #[test]
    fn a_failure_is_a_status_and_nothing_else() {
        let model = model();
        let answer = ask(model.port(), "/v1/messages", &prompt("broken"));
        assert!(answer.starts_with("HTTP/1.1 529"), "{answer}");
        let answer = ask(model.port(), "/v1/elsewhere", &prompt("held"));
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }

    #[test]
    fn a_request_without_tools_is_a_title_unless_the_test_says_more() {
        let model = model();
        let mut body = prompt("held");
        body["tools"] = json!([]);
        let check = |words: &str| {
            let answer = ask(model.port(), "/v1/chat/completions", &body);
            assert!(answer.contains(words), "{words:?} is not in {answer}");
        };
        check("A scripted title");
        model.script("side", vec![text("A turn.")]);
        check("A turn.");
    }
}
