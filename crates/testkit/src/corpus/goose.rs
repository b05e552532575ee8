//! Goose: sessions in one database, every third a sub-agent.

use super::Shelf;
use super::telling::Generator;
use crate::goose::{DATABASE, GooseDb, Message, answer, call, text};
use serde_json::{Value, json};

/// Fills the database up to a number of message bytes.
pub(super) fn write(out: &mut Shelf<'_>, teller: &mut Generator, target: usize) {
    let database = GooseDb::open(out.home);
    database.together(|database| {
        let (mut bytes, mut number) = (0, 0);
        while bytes < target || number < 3 {
            teller.pause();
            number += 1;
            let id = format!("20261001_{number}");
            let parent = (number % 3 == 0).then(|| format!("20261001_{}", number - 1));
            database.session(&id, &teller.words(5), teller.project(), parent.as_deref());
            bytes += messages(database, teller, &id, target / 3);
        }
    });
    out.written.files.push(DATABASE.to_owned());
}

fn messages(database: &GooseDb, teller: &mut Generator, session: &str, size: usize) -> usize {
    let mut bytes = 0;
    let mut say = |teller: &mut Generator, role: &str, content: Value| {
        bytes += content.to_string().len();
        database.message(&Message { session, role, content, at: teller.seconds() });
        bytes
    };
    loop {
        let prompt = teller.words(30);
        say(teller, "user", json!([text(&prompt)]));
        let id = format!("call_{:016x}", teller.chance.bits());
        let arguments = json!({"command": teller.words(5)});
        let told = teller.words(9);
        say(teller, "assistant", json!([text(&told), call(&id, "shell", &arguments)]));
        let output = teller.output();
        say(teller, "user", json!([answer(&id, &output)]));
        let end = teller.words(40);
        if say(teller, "assistant", json!([text(&end)])) >= size {
            return bytes;
        }
    }
}
