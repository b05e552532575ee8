//! Counters for a monitoring program, in the Prometheus text format.

use super::api_error::ApiError;
use super::app::App;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use taffrail_store::IndexReader;

const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Counts for a monitoring program.
#[utoipa::path(get, path = "/metrics", tag = "about",
    responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn get_metrics(State(app): State<App>) -> Result<Response, ApiError> {
    let (sources, sessions) = app
        .ask(|handle| {
            Ok(match IndexReader::open(&handle.settings().data)? {
                Some(reader) => (reader.sources()?.len() as u64, reader.count_sessions()?.0),
                None => (0, 0),
            })
        })
        .await?;
    let mut out = Metrics::default();
    let version = env!("CARGO_PKG_VERSION");
    out.family("taffrail_build_info", "gauge", "The version that runs.");
    out.line(&format!("taffrail_build_info{{version=\"{version}\"}} 1"));
    let started = app.handle().live().started_at().as_second();
    out.one("taffrail_start_time_seconds", "gauge", "When it was started.", started);
    out.one("taffrail_sources", "gauge", "Sources that are known.", sources);
    out.one("taffrail_sessions", "gauge", "Sessions that are known.", sessions);
    out.family("taffrail_live_sessions", "gauge", "Recent sessions by status.");
    for (status, count) in by_status(&app) {
        out.line(&format!("taffrail_live_sessions{{status=\"{status}\"}} {count}"));
    }
    out.one("taffrail_streams", "gauge", "Streams that are open.", app.streams());
    let counts = app.counts();
    let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
    for (name, help, count) in [
        ("taffrail_requests_total", "Requests that came.", &counts.requests),
        ("taffrail_refused_total", "Requests that were not let in.", &counts.refused),
        ("taffrail_told_total", "Events and status changes that were published.", &counts.told),
        ("taffrail_lagged_total", "Followers that fell behind.", &counts.lagged),
    ] {
        out.one(name, "counter", help, read(count));
    }
    let (runs, failures) = app.handle().summaries().counts();
    let (name, help) = ("taffrail_summary_runs_total", "Runs of the command for summaries.");
    out.one(name, "counter", help, runs);
    let (name, help) = ("taffrail_summary_failures_total", "Runs that came to nothing.");
    out.one(name, "counter", help, failures);
    notices(&app, &mut out);
    Ok(([(header::CONTENT_TYPE, KIND)], out.0).into_response())
}

/// The outcomes of notifications, by channel.
fn notices(app: &App, out: &mut Metrics) {
    let name = "taffrail_notifications_total";
    out.family(name, "counter", "Notifications, by channel and what became of them.");
    for (channel, it) in app.handle().notices().counts() {
        for (what, count) in [("sent", it.sent), ("failed", it.failed), ("dropped", it.dropped)] {
            out.line(&format!("{name}{{channel=\"{channel}\",came=\"{what}\"}} {count}"));
        }
    }
}

fn by_status(app: &App) -> BTreeMap<&'static str, u64> {
    let mut out = BTreeMap::new();
    for card in app.handle().live().statuses().into_values() {
        *out.entry(card.reading.status.as_str()).or_default() += 1;
    }
    out
}

#[derive(Default)]
struct Metrics(String);

impl Metrics {
    fn line(&mut self, line: &str) {
        self.0 += line;
        self.0.push('\n');
    }

    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}").ok();
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.family(name, kind, help);
        self.line(&format!("{name} {value}"));
    }
}
