//! `taffrail work ack`, `contract`, `check` and `recover`: whether agents and files keep the contract.

use super::{Failure, Work, report};
use crate::error::CliError;
use crate::output::Out;
use clap::{Args as ClapArgs, ValueHint};
use serde_json::json;
use std::path::PathBuf;
use taffrail_api::{ErrorKind, SCHEMA_VERSION};
use taffrail_contracts::ai_session::{CONTRACT, checksum, known_checksums};
use taffrail_env::Env;
use taffrail_workspace::{Audit, Directory};

/// The name under which Taffrail itself writes.
const OURSELVES: &str = "taffrail";

#[derive(Debug, ClapArgs)]
pub(super) struct ContractFile {
    /// Contract text, if not the one that `work contract` prints
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    contract_file: Option<PathBuf>,
}

impl ContractFile {
    fn checksum(&self, env: &Env) -> Result<Option<String>, CliError> {
        let Some(file) = &self.contract_file else { return Ok(None) };
        Ok(Some(checksum(&std::fs::read(env.here.join(file))?)))
    }

    /// The checksums of the texts that an acknowledgment may name.
    fn checksums(&self, env: &Env) -> Result<Vec<String>, CliError> {
        Ok(self.checksum(env)?.into_iter().chain(known_checksums()).collect())
    }
}

/// Every byte of it, and no other: its checksum is what agents acknowledge.
pub(super) fn contract(json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        let checksum = own_checksum();
        return out.json(&json!({ "schema_version": SCHEMA_VERSION, "contract": CONTRACT, "checksum": checksum }));
    }
    out.line(CONTRACT.trim_end_matches('\n'))?;
    out.end()
}

fn own_checksum() -> String {
    checksum(CONTRACT.as_bytes())
}

impl Work<'_> {
    /// Writes the section of an agent. Taffrail writes for it, so it acknowledges the contract, too.
    pub(super) fn acknowledge(&self, agent: &str, contract: &ContractFile) -> Result<(), Failure> {
        let checksum = contract.checksum(self.env)?.unwrap_or_else(own_checksum);
        let directory = self.open()?;
        directory.acknowledge(agent, &checksum)?;
        if agent != OURSELVES {
            directory.acknowledge_once(OURSELVES, &own_checksum())?;
        }
        let document = json!({ "agent": agent, "checksum": checksum });
        Ok(self.told(document, &format!("{agent} has read the contract {checksum}"))?)
    }

    pub(super) fn check(&self, contract: &ContractFile) -> Result<(), Failure> {
        let directory = self.look()?;
        let audit = self.audit(&directory, contract)?;
        report::audit(&audit, self.json)?;
        let error = match audit.errors.len() {
            0 => return Ok(()),
            _ if self.json => CliError::silent(ErrorKind::Refused),
            1 => CliError::refused(
                "one fault: a file does not conform to the contract",
                "taffrail work recover",
            ),
            several => CliError::refused(
                format!("{several} faults: files do not conform to the contract"),
                "taffrail work recover",
            ),
        };
        Err(error.into())
    }

    pub(super) fn recover(&self, contract: &ContractFile) -> Result<(), Failure> {
        let directory = self.open()?;
        let recovered = directory.recover(self.only(&directory)?.as_deref())?;
        let left = self.audit(&directory, contract)?;
        Ok(report::recovered(&recovered, &left, self.json)?)
    }

    fn audit(&self, directory: &Directory, contract: &ContractFile) -> Result<Audit, Failure> {
        let checksums = contract.checksums(self.env)?;
        Ok(directory.check(self.only(directory)?.as_deref(), &checksums)?)
    }
}
