//! The built-in table says what the crate it comes from says, to the microdollar, for every model.

use genai_prices::{Calculator, PriceRequest, Usage};
use std::time::SystemTime;
use taffrail_model::{Timestamp, Tokens};
use taffrail_prices::{Prices, Spent};

/// At this hour, because of prices by time of day the table has those of the day.
const DAYS: [&str; 4] = [
    "2025-03-01T08:00:00Z",
    "2026-01-15T08:00:00Z",
    "2026-09-12T08:00:00Z",
    "2026-11-01T08:00:00Z",
];
/// Input, output, cache read, cache write, and of that for an hour.
const ANSWERS: [[u64; 5]; 3] = [
    [1234, 56, 100, 0, 0],
    [1_000, 500, 60_000, 30_000, 10_000],
    [300_000, 9_000, 400_000, 5_000, 5_000],
];

#[test]
fn every_model_costs_what_the_crate_says() {
    let prices = Prices::default();
    let (mut compared, mut differ) = (0, Vec::new());
    for provider in Calculator::bundled().providers() {
        for model in provider.models() {
            let name = format!("{}/{}", provider.id(), model.id());
            for (day, counts) in DAYS.iter().flat_map(|day| ANSWERS.map(|it| (day, it))) {
                let at: Timestamp = day.parse().unwrap();
                let Some(ours) = prices.cost(&spent(&name, at, counts)) else { continue };
                let theirs = by_the_crate(provider.id(), model.id(), at, counts);
                compared += 1;
                if theirs.is_none_or(|it| (it - ours as f64).abs() > 0.501) {
                    differ.push(format!("{name} {day} {counts:?}: {ours}, not {theirs:?}"));
                }
            }
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(compared > 20_000, "{compared}");
}

fn spent(
    model: &str,
    at: Timestamp,
    [input, output, cache_read, cache_write, hour]: [u64; 5],
) -> Spent<'_> {
    let tokens = Tokens { input, output, cache_read, cache_write, reasoning: 0 };
    Spent { model, at, tokens, cache_write_1h: hour }
}

/// Microdollars by the crate, which counts cached tokens as part of the input.
fn by_the_crate(provider: &str, model: &str, at: Timestamp, counts: [u64; 5]) -> Option<f64> {
    let [input, output, cache_read, cache_write, hour] = counts.map(|it| it as f64);
    let usage = Usage::from([
        ("input_tokens", input + cache_read + cache_write),
        ("output_tokens", output),
        ("cache_read_tokens", cache_read),
        ("cache_write_tokens", cache_write),
        ("cache_write_1h_tokens", hour),
    ]);
    let request = PriceRequest::new(model, &usage).with_provider_id(provider);
    let request = request.with_timestamp(SystemTime::from(at));
    Calculator::bundled().calculate(&request).ok().map(|it| it.total_price * 1e6)
}
