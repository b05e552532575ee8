//! `taffrail schema`

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::pad;
use taffrail_contracts::{ALL, Strictness, find, schema_of};

/// Print the JSON Schema of a document that other tools may read or write
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail schema                       the documents there are
  taffrail schema ecc.session.v1        JSON Schema 2020-12
  taffrail schema session-state-v1 --strict > session-state-v1.json
")]
pub(super) struct Args {
    /// The document, as `taffrail schema` lists it
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Ask for all that a producer must write, not only for what a consumer must read
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    let mut out = Out::new();
    let Some(name) = &args.name else {
        for contract in ALL {
            out.line(&format!("{} {}", pad(contract.schema_name, 18), contract.title))?;
        }
        return out.end();
    };
    let name = name.strip_suffix(".json").unwrap_or(name);
    let contract = find(name).ok_or_else(|| unknown(name))?;
    let strictness = if args.strict { Strictness::Strict } else { Strictness::Lenient };
    out.json(&schema_of(contract, strictness))
}

fn unknown(name: &str) -> CliError {
    let known: Vec<_> = ALL.iter().map(|it| it.schema_name).collect();
    CliError::usage(format!("no schema is called `{name}`"), format!("try {}", known.join(", ")))
}
