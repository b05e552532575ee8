//! The user's own prices, and the table of prices that they imported.

use serde::{Deserialize, Deserializer};
use taffrail_prices::{OwnPrice, check_distinct};

/// The file in our data folder that keeps an imported table.
pub const IMPORTED_PRICES: &str = "prices.json";

/// Reads `[[prices]]`: two prices of one model differ in their first day.
pub(crate) fn distinct<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<OwnPrice>, D::Error> {
    let prices = Vec::<OwnPrice>::deserialize(from)?;
    check_distinct(&prices).map_err(serde::de::Error::custom)?;
    Ok(prices)
}

#[cfg(test)]
mod tests {
    use crate::{Config, with_value};
    use std::path::Path;

    #[test]
    fn own_prices_are_read_and_a_fault_names_the_key() {
        let check = |text: &str, expected: &str| {
            let read = Config::parse(text, Path::new("x"));
            let got = match read {
                Ok(it) => toml::to_string(&it.prices.iter().collect::<Vec<_>>().first()).unwrap(),
                Err(error) => error.to_string(),
            };
            assert!(got.contains(expected), "{text}: {got}");
        };
        let one = "[[prices]]\nmodel = \"m\"\nfrom = 2026-09-01\ninput = 3\noutput = 0.1\n";
        check(one, "model = \"m\"\nfrom = \"2026-09-01\"\ninput = 3\noutput = 0.1\n");
        check(&one.replace("input = 3", "input = -3"), "x: `prices` of `m`: `input` is `-3`");
        check(&one.replace("input = 3", ""), "`input` is missing; add input = ");
        check(&one.replace("input", "inputs"), "unknown field `inputs`");
        check(&one.repeat(2), "two prices of `m` from 2026-09-01; keep one");
        let set = with_value("", "prices", r#"[{model = "m", input = 1, output = 2}]"#).unwrap();
        check(&set, "model = \"m\"\ninput = 1\noutput = 2\n");
        let fault = with_value("", "prices", r#"[{model = "m", input = 1}]"#).unwrap_err();
        assert!(fault.to_string().contains("`output` is missing"), "{fault}");
    }
}
