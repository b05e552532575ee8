//! Web Push: our key, and the browsers that subscribe.

use super::Machine;
use serde_json::{Value, json};

/// The keys of the example of RFC 8291.
const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

fn machine() -> Machine {
    Machine::with(|settings| {
        let state = settings.data.with_file_name("push-state");
        std::fs::create_dir_all(&state).unwrap();
        settings.notices.push = Some(state);
    })
}

fn browser(device: &str, endpoint: &str) -> Value {
    let keys = json!({"p256dh": P256DH, "auth": AUTH});
    json!({"endpoint": endpoint, "keys": keys, "device": device, "name": "Firefox on Android"})
}

#[test]
fn it_is_off_until_the_user_turns_it_on() {
    let machine = Machine::new();
    for path in ["/api/push/key", "/api/push/subscriptions"] {
        assert_eq!(machine.get(path).status, 404, "{path}");
    }
    let body = browser("phone", "https://push.example/1").to_string();
    assert_eq!(machine.post("/api/push/subscriptions", &body).status, 404);
    let none = machine.ask("DELETE", "/api/push/subscriptions/x", "", "");
    assert_eq!(none.status, 404);
}

#[test]
fn the_public_half_is_shown_and_the_private_half_never() {
    let machine = machine();
    let key = machine.get("/api/push/key").json()["public_key"].as_str().unwrap().to_owned();
    assert_eq!(key.len(), 87);
    assert!(key.starts_with('B'), "an uncompressed point begins with 4: {key}");
    assert_eq!(machine.get("/api/push/key").json()["public_key"], key.as_str());
    let secret = std::fs::read_to_string(machine.path("push-state/push-key")).unwrap();
    assert!(secret.len() > 100);
    for path in
        ["/api/push/key", "/api/push/subscriptions", "/api/health", "/metrics", "/api/doctor"]
    {
        assert!(!machine.get(path).body.contains(secret.get(..40).unwrap()), "{path}");
    }
}

#[test]
fn a_browser_that_may_act_subscribes_once_and_is_removed() {
    let machine = machine();
    let (cookie, host) = (machine.cookie(), machine.host());
    let page = format!(
        "Cookie: {cookie}\r\nOrigin: http://{host}\r\nX-Taffrail-Page: 1\r\nContent-Type: application/json\r\n"
    );
    let path = "/api/push/subscriptions";
    let subscribe = |device: &str, endpoint: &str| {
        machine.plain("POST", path, &page, &browser(device, endpoint).to_string())
    };
    assert_eq!(subscribe("phone", "https://push.example/1").status, 428, "it only reads so far");
    assert_eq!(machine.plain("POST", "/api/web/confirm", &page, "{}").status, 200);
    let added = subscribe("phone", "https://push.example/1").json();
    assert_eq!(
        (&added["name"], &added["service"]),
        (&json!("Firefox on Android"), &json!("push.example"))
    );
    subscribe("phone", "https://push.example/2");
    let list = machine.get(path);
    assert_eq!(list.json()["subscriptions"].as_array().unwrap().len(), 1, "{list:?}");
    assert!(!list.body.contains(AUTH) && !list.body.contains("example/2"), "{list:?}");
    for (endpoint, status) in
        [("https://10.0.0.1/x", 400), ("http://push.example/x", 400), ("http://127.0.0.1:9/x", 200)]
    {
        assert_eq!(subscribe("tablet", endpoint).status, status, "{endpoint}");
    }
    let id = added["id"].as_str().unwrap();
    let remove = || machine.plain("DELETE", &format!("{path}/{id}"), &page, "").status;
    assert_eq!([remove(), remove()], [200, 404]);
}

#[test]
fn a_script_subscribes_nobody_until_the_user_lets_it() {
    let machine = machine();
    std::fs::write(machine.path("config/config.toml"), "[control]\nscripts = false\n").unwrap();
    let body = browser("phone", "https://push.example/1");
    let path = "/api/push/subscriptions";
    assert_eq!(machine.post(path, &body.to_string()).status, 403);
    assert!(machine.client().post::<Value>(path, &body).is_err());
    assert_eq!(machine.ask("DELETE", &format!("{path}/x"), "", "").status, 403);
    assert_eq!(machine.get(path).json()["subscriptions"], json!([]));
}
