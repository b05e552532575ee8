//! Which rule applies, and what answers cost by it.

use super::*;
use crate::Listed;
use taffrail_model::Tokens;

fn at(day: &str) -> Timestamp {
    format!("{day}T00:00:00Z").parse().unwrap()
}

fn own(text: &str) -> Vec<OwnPrice> {
    #[derive(serde::Deserialize)]
    struct File {
        prices: Vec<OwnPrice>,
    }
    toml::from_str::<File>(text).unwrap().prices
}

/// Input, output, cache read, cache write, and of that for an hour.
fn spent<'a>(model: &'a str, day: &str, counts: [u64; 5]) -> Spent<'a> {
    let [input, output, cache_read, cache_write, cache_write_1h] = counts;
    let tokens = Tokens { input, output, cache_read, cache_write, reasoning: output };
    Spent { model, at: at(day), tokens, cache_write_1h }
}

#[test]
fn a_real_bill_is_met_to_the_microdollar() {
    let prices = Prices::default();
    let spent = spent("claude-sonnet-5-5", "2026-11-01", [1234, 56, 100, 0, 0]);
    assert_eq!(prices.cost(&spent), Some(3038));
}

#[test]
fn an_answer_costs_what_the_rules_say() {
    let prices = Prices::new(
        own(r#"
            [[prices]]
            model = "plain"
            input = 3
            output = 15
            [[prices]]
            model = "cached"
            input = 3
            output = 15
            cache_read = 0.3
            cache_write_5m = 3.75
            cache_write_1h = 6
            [[prices]]
            model = "half"
            input = 0.5
            output = 0.1
            cache_write_5m = 0.7
            [[prices]]
            model = "long"
            input = 1
            output = 2
            cache_read = 0.1
            tiers = [{above = 300, input = 4}, {above = 100, input = 2, output = 3}]
        "#),
        None,
    );
    let check = |model: &str, counts: [u64; 5], expected: Option<i64>| {
        assert_eq!(
            prices.cost(&spent(model, "2026-11-01", counts)),
            expected,
            "{model} {counts:?}"
        );
    };
    check("plain", [0, 0, 0, 0, 0], Some(0));
    check("plain", [10, 1, 0, 0, 0], Some(45));
    check("plain", [0, 0, 10, 10, 10], Some(60));
    check("cached", [0, 0, 10, 0, 0], Some(3));
    check("cached", [0, 0, 0, 4, 0], Some(15));
    check("cached", [0, 0, 0, 4, 3], Some(22)); // 3.75 + 18 = 21.75
    check("cached", [0, 0, 0, 4, 9], Some(24)); // no more than what was written
    check("half", [1, 0, 0, 0, 0], Some(1)); // half up
    check("half", [0, 4, 0, 0, 0], Some(0));
    check("half", [0, 5, 0, 0, 0], Some(1));
    check("half", [1, 5, 0, 0, 0], Some(1)); // rounded once
    check("half", [0, 0, 0, 10, 10], Some(7)); // an hour falls back to five minutes
    check("long", [100, 1, 0, 0, 0], Some(102));
    check("long", [101, 1, 0, 0, 0], Some(205)); // the whole answer
    check("long", [1, 1, 100, 0, 0], Some(15)); // 2 + 3 + 10: the cache counts, its price is the rule's
    check("long", [1, 0, 0, 100, 0], Some(202)); // a cache price of nobody is the tier's input price
    check("long", [301, 1, 0, 0, 0], Some(1206)); // the highest tier; its output is the rule's
    check("nobody", [1, 1, 1, 1, 1], None);
    check("plain", [u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX], None);
}

#[test]
fn the_latest_price_that_has_begun_wins_and_the_users_own_first() {
    let own = own(r#"
        [[prices]]
        model = "Mine"
        input = 1
        output = 1
        [[prices]]
        model = "mine"
        from = 2026-09-01
        input = 3
        output = 1
        [[prices]]
        model = "mine"
        from = "2026-06-01"
        input = 2
        output = 1
        [[prices]]
        model = "claude-sonnet-5-5"
        from = "2026-12-01"
        input = 9
        output = 9
        [[prices]]
        model = "other/mine"
        input = 7
        output = 7
    "#);
    let imported = own_as_import(
        "[[prices]]\nmodel = \"mine\"\ninput = 5\noutput = 5\n\
         [[prices]]\nmodel = \"theirs\"\nfrom = 2026-06-01\ninput = 6\noutput = 6\n",
    );
    let prices = Prices::new(own, Some(imported));
    let check = |model: &str, day: &str, expected: Option<(&str, &str, &str)>| {
        let rule = prices.rule(model, at(day));
        let from = |it: &Rule| it.from.map_or(String::new(), |it| it.to_string());
        let got = rule.map(|it| (it.prices.input.to_string(), from(&it), it.source));
        let got = got
            .as_ref()
            .map(|(input, from, source)| (input.as_str(), from.as_str(), source.as_str()));
        assert_eq!(got, expected, "{model} {day}");
    };
    check("mine", "2026-05-31", Some(("1", "", "config")));
    check("mine", "2026-06-01", Some(("2", "2026-06-01", "config")));
    check("mine", "2026-08-31", Some(("2", "2026-06-01", "config")));
    check("mine", "2026-09-01", Some(("3", "2026-09-01", "config")));
    check("MINE", "2030-01-01", Some(("3", "2026-09-01", "config")));
    check("some/mine-20260101", "2030-01-01", Some(("3", "2026-09-01", "config")));
    check("other/mine", "2030-01-01", Some(("7", "", "config")));
    check("mine-2", "2030-01-01", None);
    check("theirs", "2026-06-01", Some(("6", "2026-06-01", "import")));
    check("theirs", "2026-05-31", None);
    check("claude-sonnet-5-5", "2026-11-30", Some(("2", "", "genai-prices 0.2.1")));
    check("claude-sonnet-5-5", "2026-12-01", Some(("9", "2026-12-01", "config")));
    let last = Timestamp::from_second(at("2026-06-01").as_second() - 1).unwrap();
    assert_eq!(prices.rule("mine", last).unwrap().from, None);
}

fn own_as_import(text: &str) -> ImportedTable {
    let listed = own(text).into_iter().map(|price| Listed { provider: None, price });
    let date = jiff::civil::date(2026, 11, 18);
    ImportedTable::new(ImportedTable::write(date, listed.collect()).unwrap())
}

#[test]
fn a_rule_says_where_it_comes_from() {
    let prices = Prices::new(
        Vec::new(),
        Some(own_as_import("[[prices]]\nmodel = \"m\"\ninput = 1\noutput = 1\n")),
    );
    let rule = prices.rule("m", at("2026-11-18")).unwrap();
    assert_eq!(
        (rule.source, rule.table_date),
        (Source::Import, Some(jiff::civil::date(2026, 11, 18)))
    );
    let rule = prices.rule("anthropic/claude-haiku-5-5", at("2026-11-18")).unwrap();
    assert_eq!(rule.model, "claude-haiku-5-5");
    assert_eq!(rule.provider.as_deref(), Some("anthropic"));
    assert_eq!(rule.table_date, Some(jiff::civil::date(2026, 10, 30)));
    assert_eq!(rule.tiers.iter().map(|it| it.above).collect::<Vec<_>>(), [100_000]);
    let broken = Prices::new(Vec::new(), Some(ImportedTable::new("{".to_owned())));
    assert!(!broken.imported().unwrap().is_whole());
    assert_eq!(broken.rule("m", at("2026-11-18")), None);
}

#[test]
fn three_hundred_thousand_answers_take_one_decoding_and_one_lookup_a_model() {
    let prices = Prices::default();
    assert!(prices.stamp().len() == 16 && prices.by_name.get().is_none(), "nothing is decoded yet");
    let models = ["claude-sonnet-5-5", "gpt-5", "gemini-2.5-pro", "nobody"];
    let spent = models.map(|model| spent(model, "2026-11-01", [1000, 100, 10, 10, 0]));
    let sum: i64 = (0..300_000).filter_map(|it| prices.cost(&spent[it % 4])).sum();
    assert!(sum > 0);
    assert!(prices.by_name.get().is_some());
    assert_eq!(prices.known.read().unwrap().len(), models.len());
    let before = Arc::clone(&prices.known.read().unwrap()["gpt-5"]);
    assert!(Arc::ptr_eq(&prices.find("gpt-5"), &before), "a second lookup answers from memory");
}

#[test]
fn names_that_nobody_knows_do_not_fill_the_memory() {
    let prices = Prices::default();
    for number in 0..MOST_NAMES + 10 {
        assert_eq!(prices.rule(&format!("x{number}"), at("2026-11-01")), None);
    }
    assert!(prices.known.read().unwrap().len() <= MOST_NAMES);
}

#[test]
fn the_stamp_changes_with_every_price_and_with_nothing_else() {
    let one = "[[prices]]\nmodel = \"m\"\ninput = 1\noutput = 1\n";
    let two = "[[prices]]\nmodel = \"n\"\ninput = 1\noutput = 1\n";
    let stamp = |text: &str| Prices::new(own(text), None).stamp();
    let base = stamp(&format!("{one}{two}"));
    assert_eq!(stamp(&format!("{two}{one}")), base);
    assert_eq!(stamp(&format!("{one}{two}").replace("\"m\"", "\"M\"")), base);
    for (from, to) in
        [("\"m\"", "\"k\""), ("input = 1", "input = 2"), ("\"m\"", "\"m\"\nfrom = 2026-01-01")]
    {
        assert_ne!(stamp(&format!("{one}{two}").replacen(from, to, 1)), base, "{to}");
    }
    assert_ne!(stamp(one), base);
    assert_ne!(Prices::new(own(two), Some(own_as_import(one))).stamp(), stamp(two));
}
