//! Waiting for a session to reach a status.

use super::{FIRST, Machine, SECOND, id, until};
use taffrail_api::{ClientError, Health, WaitReply};
use taffrail_model::status::Status;

fn wait(machine: &Machine, query: &str) -> WaitReply {
    machine.client().get(&format!("/api/wait?{query}")).unwrap()
}

#[test]
fn a_wait_ends_at_once_where_it_is_so_already() {
    let machine = Machine::new();
    machine.stands(FIRST, Status::WaitingApproval);
    let check = |query: &str, expected: Option<&str>| {
        let reply = wait(&machine, query);
        assert_eq!(reply.session.as_ref().map(|it| it.id), expected.map(id), "{query}");
        assert_eq!(reply.timed_out, expected.is_none(), "{query}");
    };
    check("timeout=5", Some(FIRST));
    check(&format!("ids={FIRST}&for=exited,waiting_approval&timeout=5"), Some(FIRST));
    check(&format!("ids={SECOND}&for=exited&timeout=5"), Some(SECOND));
    check(&format!("ids={FIRST}&for=exited&timeout=0.01"), None);
    check("for=running&timeout=0", None);
}

#[test]
fn a_wait_ends_when_it_becomes_so() {
    let machine = Machine::new();
    machine.stands(FIRST, Status::Running);
    let client = machine.client();
    let waiting = std::thread::spawn(move || {
        client.get::<WaitReply>(&format!("/api/wait?ids={SECOND},{FIRST}&for=idle&timeout=20"))
    });
    until("the wait", || {
        let health: Health = machine.client().get("/api/health").unwrap();
        (health.streams == 1).then_some(())
    });
    machine.stands(SECOND, Status::Running);
    machine.stands(FIRST, Status::Idle);
    let reply = waiting.join().unwrap().unwrap();
    let session = reply.session.unwrap();
    assert_eq!((session.id, session.status), (id(FIRST), Status::Idle));
}

#[test]
fn a_wait_for_nothing_that_is_is_a_mistake() {
    let machine = Machine::new();
    let check = |query: &str, code: u8| {
        let told = machine.client().get::<WaitReply>(&format!("/api/wait?{query}"));
        assert!(matches!(told, Err(ClientError::Refused(it)) if it.code == code), "{query}");
    };
    check("for=sleeping", 2);
    check("timeout=601", 2);
    check("timeout=-1", 2);
    check("ids=ffff", 3);
    check("until=exited", 2);
}
