//! Whole digests.

use super::{html, markdown};
use crate::samples::now;
use crate::when::Clock;
use jiff::tz::TimeZone;
use serde_json::json;
use std::path::Path;
use taffrail_api::Digest;

fn digest() -> Digest {
    let sums = |sessions: u64, failures: u64| {
        json!({"sessions": sessions, "prompts": 75, "tokens": 1_234_000,
            "cost_microdollars": 4_180_000, "failures": failures})
    };
    let project = |path: Option<&str>, sessions: u64| {
        let mut row = sums(sessions, 0);
        row["path"] = json!(path);
        row
    };
    let session = |title: &str, text: Option<&str>| {
        json!({"id": "00000000-0000-4000-8000-000000000001", "agent": "some-agent", "title": title,
            "project_path": "/home/ada/src/api", "at": "2026-11-15T09:00:00Z", "text": text})
    };
    serde_json::from_value(json!({
        "schema_version": 1,
        "since": "2026-11-08T12:00:00Z", "until": now().to_string(),
        "totals": sums(61, 2), "commits": 3,
        "projects": [project(Some("/home/ada/src/api"), 60), project(None, 1)],
        "waiting": [session("<b>ask</b>", Some("npm test | tee x"))],
        "failed": [],
        "finished": [session("=HYPERLINK(\"http://x\")\n<script>", None)],
        "more_finished": 7,
    }))
    .unwrap()
}

fn clock() -> Clock {
    Clock { now: now(), zone: TimeZone::UTC }
}

#[test]
fn a_digest_is_short_markdown() {
    let expected = r#"# Sessions from 2026-11-08 12:00 UTC to 2026-11-15 12:00 UTC

61 sessions, 75 prompts, 1.2M tokens, $4.18, 2 failures, 3 commits

| project | sessions | prompts | tokens | cost | failures |
|---|--:|--:|--:|--:|--:|
| \~/src/api | 60 | 75 | 1.2M | $4.18 | 0 |
| (no project) | 1 | 75 | 1.2M | $4.18 | 0 |

## Waits for you

- **&lt;b&gt;ask&lt;/b&gt;** (api · some · today 09:00): npm test \| tee x

## Finished

- **=HYPERLINK("http&#58;//x") &lt;script&gt;** (api · some · today 09:00)
- and 7 more sessions"#;
    assert_eq!(markdown(&digest(), (Path::new("/home/ada"), &clock())), expected);
}

#[test]
fn a_digest_is_a_page_that_loads_nothing() {
    let page = html(&digest(), (Path::new("/home/ada"), &clock()));
    for part in [
        "<h1>Sessions from 2026-11-08 12:00 UTC to 2026-11-15 12:00 UTC</h1>",
        "<td>~/src/api</td><td>60</td>",
        "<li><b>&lt;b&gt;ask&lt;/b&gt;</b> (api · some · today 09:00)<br>npm test | tee x</li>",
        "default-src 'none'",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for part in ["<script", "http://", "src=", "href="] {
        assert!(!page.contains(part), "{part}: {page}");
    }
}
