//! The OTLP messages in their JSON form.

use super::{MOST, NAME, instant, log};
use serde::Deserialize;
use serde_json::{Map, Value};
use taffrail_adapters::Telemetry;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Request {
    resource_logs: Vec<Resource>,
    resource_metrics: Vec<Resource>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Resource {
    scope_logs: Vec<Scope>,
    scope_metrics: Vec<Scope>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Scope {
    log_records: Vec<Record>,
    metrics: Vec<Metric>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Record {
    time_unix_nano: Value,
    observed_time_unix_nano: Value,
    body: Value,
    attributes: Vec<Pair>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metric {
    name: String,
    sum: Option<Points>,
    gauge: Option<Points>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Points {
    data_points: Vec<Point>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Point {
    time_unix_nano: Value,
    as_double: Value,
    as_int: Value,
    attributes: Vec<Pair>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Pair {
    key: String,
    value: Value,
}

/// The records of an `ExportLogsServiceRequest`.
pub(super) fn logs(body: &[u8]) -> Option<Vec<Telemetry>> {
    let request: Request = serde_json::from_slice(body).ok()?;
    let scopes = request.resource_logs.into_iter().flat_map(|it| it.scope_logs);
    bounded(scopes.flat_map(|it| it.log_records).map(log_record))
}

/// The points of an `ExportMetricsServiceRequest`.
pub(super) fn metrics(body: &[u8]) -> Option<Vec<Telemetry>> {
    let request: Request = serde_json::from_slice(body).ok()?;
    let scopes = request.resource_metrics.into_iter().flat_map(|it| it.scope_metrics);
    bounded(scopes.flat_map(|it| it.metrics).flat_map(points))
}

fn bounded(all: impl Iterator<Item = Telemetry>) -> Option<Vec<Telemetry>> {
    let out: Vec<_> = all.take(MOST + 1).collect();
    (out.len() <= MOST).then_some(out)
}

fn log_record(record: Record) -> Telemetry {
    let times = (whole(&record.time_unix_nano), whole(&record.observed_time_unix_nano));
    log(times, plain(record.body).as_str(), pairs(record.attributes))
}

fn points(metric: Metric) -> Vec<Telemetry> {
    let Metric { name, sum, gauge } = metric;
    if name.len() > NAME {
        return Vec::new();
    }
    let all = [gauge, sum].into_iter().flatten().flat_map(|it| it.data_points);
    let told = all.map(|it| Telemetry {
        name: name.clone(),
        at: instant(whole(&it.time_unix_nano)),
        value: fraction(&it.as_double).or_else(|| fraction(&it.as_int)),
        attributes: pairs(it.attributes),
    });
    told.collect()
}

fn pairs(all: Vec<Pair>) -> Map<String, Value> {
    all.into_iter().map(|it| (it.key, plain(it.value))).collect()
}

/// Converts an `AnyValue` to a plain value; the JSON parser limits its depth.
fn plain(any: Value) -> Value {
    let Value::Object(fields) = any else { return Value::Null };
    let Some((kind, it)) = fields.into_iter().next() else { return Value::Null };
    match kind.as_str() {
        "stringValue" | "boolValue" => it,
        "intValue" => signed(&it).map_or(Value::Null, Value::from),
        "doubleValue" => fraction(&it).map_or(Value::Null, Value::from),
        "arrayValue" => Value::Array(listed(it).into_iter().map(plain).collect()),
        "kvlistValue" => {
            let all = listed(it).into_iter().filter_map(|it| serde_json::from_value(it).ok());
            Value::Object(pairs(all.collect()))
        }
        _ => Value::Null,
    }
}

fn listed(mut list: Value) -> Vec<Value> {
    match list.get_mut("values").map(Value::take) {
        Some(Value::Array(all)) => all,
        _ => Vec::new(),
    }
}

/// OTLP writes 64-bit numbers as strings; some exporters write numbers.
fn whole(it: &Value) -> u64 {
    it.as_u64().or_else(|| it.as_str()?.parse().ok()).unwrap_or_default()
}

fn signed(it: &Value) -> Option<i64> {
    it.as_i64().or_else(|| it.as_str()?.parse().ok())
}

fn fraction(it: &Value) -> Option<f64> {
    it.as_f64().or_else(|| it.as_str()?.parse().ok())
}
