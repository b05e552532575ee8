//! `taffrail schema`

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use serde_json::{Value, json};
use taffrail_contracts::{ALL, Contract, Strictness, find, schema_of};
use taffrail_tui::terminal::pad;

/// Print the JSON Schema of an open contract
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail document schema                       list the schemas
  taffrail document schema ecc.session.v1        JSON Schema 2020-12
  taffrail document schema session-state-v1 --strict > session-state-v1.json
")]
pub(super) struct Args {
    /// Schema, as `taffrail document schema` lists it
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Require everything that a producer must write, not only what a consumer must read
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    let Some(name) = &args.name else {
        if json {
            return out.json(&list());
        }
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

fn list() -> Value {
    let row = |it: &Contract| json!({"name": it.schema_name, "title": it.title});
    json!({"schema_version": 1, "schemas": ALL.iter().map(row).collect::<Vec<_>>()})
}

fn unknown(name: &str) -> CliError {
    let known: Vec<_> = ALL.iter().map(|it| it.schema_name).collect();
    CliError::usage(format!("no schema is called `{name}`"), format!("try {}", known.join(", ")))
}
