//! Valid and invalid responses.

use super::*;
use std::io::Cursor;

fn read(answer: &str) -> Result<(u16, String), String> {
    let mut reader = BufReader::with_capacity(7, Cursor::new(answer.as_bytes().to_vec()));
    let head = Head::read(&mut reader).map_err(|it| it.to_string())?;
    let mut text = String::new();
    Body::new(reader, &head).read_to_string(&mut text).map_err(|it| it.to_string())?;
    Ok((head.status, text))
}

#[test]
fn a_body_ends_where_its_head_says() {
    let check = |answer: &str, expected: Option<(u16, &str)>| {
        let expected = expected.map(|(status, text)| (status, text.to_owned()));
        assert_eq!(read(answer).ok(), expected, "{answer}");
    };
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more", Some((200, "hello")));
    check("HTTP/1.1 404 Not Found\r\n\r\nall", Some((404, "all")));
    let chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    check(&format!("{chunks}3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n"), Some((200, "hello")));
    check(&format!("{chunks}3\r\nhe"), None);
    check(&format!("{chunks}zz\r\nhe"), None);
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", None);
    check("HTTP/1.1 200 OK\r\nContent-Le", None);
    check("SMTP", None);
}

#[test]
fn a_stream_is_read_message_by_message() {
    let text = ": here\n\nevent: init\ndata: {\"a\":1}\n\nid: g.1\ndata: {\"b\":2}\n\n:\n\n\
                id: g.2\r\ndata: {\"c\":3}\r\n\r\n";
    let updates: Vec<_> = Updates::new(Cursor::new(text)).map(|it| it.unwrap()).collect();
    let one = |name: &str, cursor: Option<&str>, data: &str| Update {
        name: name.to_owned(),
        cursor: cursor.map(str::to_owned),
        data: data.to_owned(),
    };
    let expected = [
        one("init", None, "{\"a\":1}"),
        one("", Some("g.1"), "{\"b\":2}"),
        one("", Some("g.2"), "{\"c\":3}"),
    ];
    assert_eq!(updates, expected);
    let lines: Vec<_> = Lines::new(Cursor::new(text)).map(|it| it.unwrap()).collect();
    assert_eq!(lines, ["{\"b\":2}", "{\"c\":3}"]);
    let lines: Vec<_> = Lines::new(Cursor::new("{}\n{\"a\":1}")).map(|it| it.unwrap()).collect();
    assert_eq!(lines, ["{}", "{\"a\":1}"]);
}

#[test]
fn a_path_survives_whatever_is_in_it() {
    assert_eq!(path("/api/sessions", &[]), "/api/sessions");
    assert_eq!(
        path("/api/search", &[("q", "a b&c=\"d\" é"), ("here", "/w/app")]),
        "/api/search?q=a%20b%26c%3D%22d%22%20%C3%A9&here=%2Fw%2Fapp"
    );
}

#[test]
fn nobody_there_is_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let check = |path: &Path| {
        assert!(matches!(Client::connect(path), Err(ClientError::Unreachable(_))), "{path:?}");
    };
    check(folder.path());
    check(&folder.path().join("daemon.sock"));
    let place = DaemonPlace {
        pid: 1,
        version: "0".to_owned(),
        socket: folder.path().join("nobody.sock"),
        http: None,
        otel: None,
    };
    let file = folder.path().join(DAEMON_FILE);
    std::fs::write(&file, serde_json::to_vec(&place).unwrap()).unwrap();
    check(folder.path());
    check(&file);
}
