//! Taffrail's own secrets: a device's keys, and a browser's session. Invites are blocks, a recovery
//! key is an age key, and a browser's code is in a URL.

use super::super::entropy::varied;
use super::super::rule::{Rule, named};

pub(super) const RULES: &[Rule] = &[
    named(
        "taffrail-key",
        &["taffrail-device-"],
        // Line numbers or escaped line ends may separate the lines.
        r"taffrail-device-[0-9]{1,3}(?:\s|\\[nrt]|[0-9→|:+>]){1,24}?([a-f0-9]{64})",
        varied,
    ),
    named(
        "taffrail-cookie",
        &["taffrail-"],
        r"taffrail-[0-9]{2,5}=([0-9]{9,12}\.[a-f0-9]{32})",
        varied,
    ),
];
