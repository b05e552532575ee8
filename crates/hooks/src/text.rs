//! A settings file as text, in any syntax: our calls in it, installing and removing them.

use crate::call::{Call, Ours};
use crate::edit::{Insertion, applied};
use crate::json::Json;
use crate::toml::Toml;
use crate::{Made, Unfit, json_strip, toml};
use taffrail_adapters::Syntax;

/// The byte order mark with which some editors start a file.
const MARK: char = '\u{feff}';

/// Our calls in a text, by event.
pub(crate) fn calls(
    text: &str,
    syntax: Syntax,
    ours: Ours<'_>,
) -> Result<Vec<(String, Call)>, Unfit> {
    let (_, body) = unmarked(text);
    Ok(match syntax {
        Syntax::Json => Json::parse(body)?.calls(ours),
        Syntax::Toml => Toml::parse(body)?.calls(ours),
    })
}

/// Whether a text has hooks.
pub(crate) fn holds_hooks(text: &str, syntax: Syntax) -> Result<bool, Unfit> {
    let (_, body) = unmarked(text);
    Ok(match syntax {
        Syntax::Json => Json::parse(body)?.holds_hooks(),
        Syntax::Toml => Toml::parse(body)?.holds_hooks(),
    })
}

/// The insertions that add these calls to a text. The text must have none of them yet.
pub(crate) fn installed(
    text: &str,
    syntax: Syntax,
    wanted: &[(&str, Call)],
    ours: Ours<'_>,
) -> Result<(String, Vec<Insertion>, Made), Unfit> {
    let (mark, body) = unmarked(text);
    let (mut pieces, made) = match syntax {
        Syntax::Json => Json::parse(body)?.install(wanted)?,
        Syntax::Toml => Toml::parse(body)?.install(wanted)?,
    };
    pieces.iter_mut().for_each(|piece| piece.at += mark.len());
    let after = applied(text, &pieces).ok_or(Unfit::Entangled)?;
    let got = calls(&after, syntax, ours).map_err(|_| Unfit::Entangled)?;
    if is_complete(&got, wanted) { Ok((after, pieces, made)) } else { Err(Unfit::Entangled) }
}

/// A text without our calls and the surroundings created for them.
pub(crate) fn stripped(
    text: &str,
    syntax: Syntax,
    ours: Ours<'_>,
    made: Option<&Made>,
) -> Result<String, Unfit> {
    let (mark, body) = unmarked(text);
    let body = match syntax {
        Syntax::Json => json_strip::strip(body, ours, made)?,
        Syntax::Toml => toml::strip(body, ours)?,
    };
    Ok(format!("{mark}{body}"))
}

/// Whether every wanted call is there once, and no other call of ours is.
pub(crate) fn is_complete(got: &[(String, Call)], wanted: &[(&str, Call)]) -> bool {
    let once = |(event, call): &(&str, Call)| {
        got.iter().filter(|(name, it)| name == event && it == call).count() == 1
    };
    got.len() == wanted.len() && wanted.iter().all(once)
}

fn unmarked(text: &str) -> (&str, &str) {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    text.split_at_checked(text.len() - body.len()).unwrap_or(("", text))
}
