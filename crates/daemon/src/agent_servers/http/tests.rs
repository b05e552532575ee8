//! Replies of servers that are not what they should be, and what a server gets.

use super::*;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::{JoinHandle, spawn};
use taffrail_capture::listener_at;

/// A server that gives one reply and returns the request.
fn served(reply: &'static str) -> (Server, JoinHandle<String>) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let listener = listener_at(socket.local_addr().unwrap(), std::process::id()).unwrap();
    let serve = spawn(move || {
        let (mut stream, _) = socket.accept().unwrap();
        let mut request = vec![0; 4096];
        let length = stream.read(&mut request).unwrap();
        stream.write_all(reply.as_bytes()).unwrap();
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    (Server { listener, token: Some(Token::new("secret")) }, serve)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_port_is_a_server_only_if_it_sends_events() {
    async fn check(reply: &'static str, expected: io::ErrorKind) {
        let (server, serve) = served(reply);
        let error = server.events("/event").await.unwrap_err();
        assert_eq!(error.kind(), expected, "{reply}");
        assert!(!error.to_string().contains("secret"), "{error}");
        serve.join().unwrap();
    }
    let denied = io::ErrorKind::PermissionDenied;
    check("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", denied).await;
    let other = io::ErrorKind::Unsupported;
    check("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", other).await;
    check("HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n", other)
        .await;
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi";
    check(page, other).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn events_are_read_until_the_server_is_gone() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
        Transfer-Encoding: chunked\r\n\r\nb\r\ndata: {\"a\":\r\n4\r\n1}\n\n\r\n5\r\ndata:\r\n";
    let (server, serve) = served(reply);
    let mut events = server.events("/event").await.unwrap();
    assert_eq!(events.next().await.unwrap().as_deref(), Some("{\"a\":1}"));
    assert_eq!(events.next().await.unwrap(), None);
    let request = serve.join().unwrap().to_lowercase();
    assert!(request.starts_with("get /event http/1.1\r\n"), "{request}");
    assert!(request.contains("\r\nauthorization: bearer secret\r\n"), "{request}");
    assert!(!format!("{server:?}").contains("secret"));
}

/// A server that accepted the stream while it started, and then sent nothing, was listened to for ever.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stream_without_heartbeats_is_lost() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let listener = listener_at(socket.local_addr().unwrap(), std::process::id()).unwrap();
    let server = Server { listener, token: None };
    let serve = spawn(move || {
        let (mut stream, _) = socket.accept().unwrap();
        assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
        let reply = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n";
        stream.write_all(reply.as_bytes()).unwrap();
        // Both stay open until the test ends.
        (socket, stream)
    });
    let mut events = Some((server.events("/event").await.unwrap(), Duration::from_millis(50)));
    assert_eq!(next(&mut events).await.unwrap().as_deref(), Some("1"));
    assert_eq!(next(&mut events).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    drop(serve.join().unwrap());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_port_that_changed_hands_gets_nothing() {
    let (server, serve) = served("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let address = server.listener.address;
    // The server ends after one reply.
    server.post("/reply", "{}".to_owned()).await.unwrap();
    assert!(serve.join().unwrap().ends_with("{}"));
    let thief = TcpListener::bind(address).unwrap();
    let error = server.post("/reply", "{}".to_owned()).await.unwrap_err();
    assert_eq!(error.to_string(), "another process took the server's port");
    let (mut stream, _) = thief.accept().unwrap();
    let mut text = String::new();
    assert_eq!(stream.read_to_string(&mut text).unwrap(), 0, "{text}");
}
