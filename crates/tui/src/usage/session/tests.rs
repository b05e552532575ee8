use super::*;
use taffrail_api::{CompactionRow, ContextUsage, CostShare, Spending, Usage};
use taffrail_model::{AgentId, RuntimeIdentity, Timestamp};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn part(kind: &str, tool: Option<&str>, tokens: u64) -> ContextPart {
    ContextPart { kind: kind.to_owned(), tool: tool.map(str::to_owned), tokens }
}

fn usage() -> SessionUsage {
    let tokens = Usage {
        input_tokens: 400,
        output_tokens: 1_200,
        cache_read_tokens: 60_000,
        cache_write_tokens: 5_000,
        reasoning_tokens: 0,
    };
    let turn = |number, cost_microdollars, cache_miss: Option<&str>| TurnUsage {
        number: Some(number),
        started_at: Some(at("2026-11-03T09:12:00Z")),
        answers: 3,
        usage: tokens,
        cost_microdollars,
        unknown_answers: 0,
        context_tokens: Some(65_400),
        cache_hit: Some(0.917),
        cache_miss: cache_miss.map(str::to_owned),
    };
    let session_id = RuntimeIdentity::new(AgentId::new("a"), "", "s").session();
    SessionUsage {
        schema_version: 1,
        session_id,
        totals: Spending {
            answers: 9,
            usage: tokens,
            cost_microdollars: Some(1_234_560_000),
            ..Spending::default()
        },
        turns: vec![
            turn(1, Some(1_000_000), None),
            turn(2, Some(1_234_560_000), Some("model_change")),
            turn(3, None, Some("pause")),
        ],
        answers: Vec::new(),
        context: ContextUsage {
            tokens: Some(65_400),
            estimated: true,
            filled_by: vec![
                part("tool_result", Some("Bash"), 40_000),
                part("agent", None, 20_000),
                part("prompt", None, 5_400),
            ],
        },
        compactions: vec![CompactionRow {
            at: at("2026-11-03T09:12:00Z"),
            before_tokens: Some(180_000),
            after_tokens: None,
        }],
        retries: CostShare { answers: 1, tokens: 900, cost_microdollars: Some(20_000) },
        cold: CostShare { answers: 2, tokens: 90_000, cost_microdollars: None },
    }
}

#[test]
fn one_session_fits_a_terminal() {
    let clock = Clock { now: at("2026-11-18T12:00:00Z"), zone: jiff::tz::TimeZone::UTC };
    let text = |it| match it {
        Row::Head(text) | Row::Line(text) => text,
    };
    let lines: Vec<String> = session_rows(&usage(), 2, &clock).into_iter().map(text).collect();
    assert!(lines.iter().all(|it| it.chars().count() <= 80), "{lines:#?}");
    assert_eq!(
        lines,
        [
            "turn began             tok in tok out context cached         cost cache missed",
            "… 1 earlier",
            "   2 2026-11-03 09:12    5.4k    1.2k     65k   92 %     $1234.56 model change",
            "   3 2026-11-03 09:12    5.4k    1.2k     65k   92 %            - pause",
            " all 9 answers           5.4k    1.2k     65k           ≈$1234.56",
            "",
            "what filled the context (estimated)       tokens",
            "results of Bash                              40k   61 %",
            "instructions, tools and unexplained          20k   31 %",
            "prompts                                     5.4k    8 %",
            "",
            "compacted from 180k to ? tokens",
            "failed calls repeated: 1 answer, $0.02",
            "cache written again after a pause: 90k tokens, - more",
            "≈ list price, not a bill: `taffrail prices MODEL` shows the rule",
        ]
    );
}
