//! `taffrail work`

mod conversion;
mod log;
mod report;
mod task;

use super::TEMPLATE;
use crate::env::{self, Env};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::{Args as ClapArgs, Subcommand, ValueHint};
use log::Log;
use serde_json::{Value, json};
use std::path::PathBuf;
use taffrail_api::client::Client;
use taffrail_api::{ErrorKind, SCHEMA_VERSION, Session};
use taffrail_config::Config;
use taffrail_contracts::ai_session::{
    CONTRACT, FeatureMove, FeatureStatus, HistoryLine, Model, checksum,
};
use taffrail_query::bindings::sessions_of_feature;
use taffrail_workspace::{Directory, Feature, Invocation, New, WorkError};

/// Manage a feature's plan and state in `.ai-session`
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail work new \"Dark mode\" --description \"a theme for the night\"
  taffrail work task add t1 --phase build --description \"a switch\" --agent codex
  taffrail work task start t1
  taffrail work show                the feature's state and its open tasks
  taffrail work export              the feature as a session state 1.0.0
  taffrail work check               check every file against the contract
  taffrail work recover             repair what is corrupt or missing
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
    /// Feature id or a prefix of it [default: the only active feature]
    #[arg(long, value_name = "ID", global = true)]
    feature: Option<String>,
    /// Author of the change, for the history
    #[arg(long, value_name = "AGENT", global = true, default_value = "taffrail")]
    by: String,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a feature, and the directory if there is none
    New {
        /// Name of the feature; its id is this name and today's date
        name: String,
        /// Description of the feature
        #[arg(long, value_name = "TEXT", default_value = "")]
        description: String,
        /// Model in use at the start
        #[arg(long, value_name = "MODEL", default_value = "opus")]
        model: String,
    },
    /// Create a feature from a session state 1.0.0
    Import {
        /// Session state, as `work export` or another tool wrote it
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Model in use, if the state has no plan that names one
        #[arg(long, value_name = "MODEL", default_value = "opus")]
        model: String,
    },
    /// Print the feature as a session state 1.0.0
    Export,
    /// List the features
    Ls,
    /// Show a feature: its state and its plan
    Show,
    /// Show the plan only
    Plan,
    /// Add a task, or change its status
    Task {
        #[command(subcommand)]
        action: task::Action,
    },
    /// Set the model in use
    Use {
        /// Model that the contract knows
        model: String,
    },
    /// Show the last lines of the history; with --command, append a line
    Log(Log),
    /// Pause the feature
    Pause,
    /// Resume a paused feature
    Resume,
    /// Mark the feature as completed
    Complete,
    /// Move a completed feature to the archive
    Archive,
    /// Record that an agent has read the contract
    Ack {
        /// Agent that has read it
        #[arg(long, value_name = "AGENT")]
        agent: String,
        #[command(flatten)]
        contract: ContractFile,
    },
    /// Print the contract; an acknowledgment holds its SHA-256
    Contract,
    /// List everything that does not conform to the contract
    Check {
        #[command(flatten)]
        contract: ContractFile,
    },
    /// Repair corrupt or missing files; keeps the old files beside them
    Recover,
    /// Migrate state files to the version of the contract; keeps the old files
    Migrate,
}

#[derive(Debug, ClapArgs)]
struct ContractFile {
    /// Contract text, if not the one that `work contract` prints
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    contract_file: Option<PathBuf>,
}

/// What every part of the command is given.
pub(super) struct Work<'a> {
    pub(super) args: &'a Args,
    pub(super) env: &'a Env,
    json: bool,
}

pub(super) fn run(args: &Args, env: &Env, json: bool) -> Result<(), CliError> {
    let work = Work { args, env, json };
    match &args.action {
        Action::New { name, description, model } => work.make(name, description, model),
        Action::Import { file, model } => work.import(file, model),
        Action::Export => work.export(),
        Action::Ls => report::list(&work.look()?.overview()?, json, &env.clock()),
        Action::Show => {
            let held = work.feature(FeatureStatus::Active)?;
            report::show(&held, &held.sessions(env), json, &env.clock())
        }
        Action::Plan => report::plan(&work.feature(FeatureStatus::Active)?, json),
        Action::Task { action } => task::run(action, &work),
        Action::Use { model } => work.use_model(model),
        Action::Log(log) => work.log(log),
        Action::Pause => work.go(FeatureMove::Pause, FeatureStatus::Active),
        Action::Resume => work.go(FeatureMove::Resume, FeatureStatus::Paused),
        Action::Complete => work.go(FeatureMove::Complete, FeatureStatus::Active),
        Action::Archive => work.archive(),
        Action::Ack { agent, contract } => work.acknowledge(agent, contract),
        Action::Contract => contract(json),
        Action::Check { contract } => work.check(contract),
        Action::Recover => work.recover(),
        Action::Migrate => work.migrate(),
    }
}

/// Every byte of it, and no other: its checksum is what agents acknowledge.
fn contract(json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        let checksum = own_checksum();
        return out.json(&json!({ "schema_version": SCHEMA_VERSION, "contract": CONTRACT, "checksum": checksum }));
    }
    out.line(CONTRACT.trim_end_matches('\n'))?;
    out.end()
}

impl Work<'_> {
    pub(super) fn open(&self) -> Result<Directory, CliError> {
        Ok(Directory::open(&self.env.here, env::now)?)
    }

    /// To read only.
    fn look(&self) -> Result<Directory, CliError> {
        Ok(Directory::look(&self.env.here, env::now)?)
    }

    fn feature(&self, wanted: FeatureStatus) -> Result<Held, CliError> {
        Held::new(self.look()?, self.args.feature.as_deref(), wanted)
    }

    /// Does something with the feature that is meant.
    pub(super) fn with<T>(
        &self,
        wanted: FeatureStatus,
        act: impl FnOnce(&mut Feature<'_>) -> Result<T, WorkError>,
    ) -> Result<(String, T), CliError> {
        let directory = self.open()?;
        let mut feature = directory.choose(self.args.feature.as_deref(), wanted)?;
        let done = act(&mut feature)?;
        Ok((feature.id, done))
    }

    pub(super) fn asked(&self, command: &str, arguments: &str) -> Invocation {
        Invocation {
            command: format!("work {command}"),
            arguments: arguments.to_owned(),
            by: self.args.by.clone(),
        }
    }

    /// Tells what was done: as a document, or in words.
    pub(super) fn told(&self, mut document: Value, words: &str) -> Result<(), CliError> {
        if !self.json {
            say(words);
            return Ok(());
        }
        if let Some(fields) = document.as_object_mut() {
            fields.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
        }
        Out::new().json(&document)
    }

    fn make(&self, name: &str, description: &str, model: &str) -> Result<(), CliError> {
        let new = New {
            name: name.to_owned(),
            description: description.to_owned(),
            model: known_model(model)?,
        };
        let asked = self.asked("new", name);
        let id = Directory::create(&self.env.here, &new, &asked, env::now)?;
        self.told(json!({ "feature_id": id }), &format!("made {id}"))
    }

    fn use_model(&self, model: &str) -> Result<(), CliError> {
        let known = known_model(model)?;
        let asked = self.asked("use", model);
        let (id, ()) = self.with(FeatureStatus::Active, |it| it.use_model(known, &asked))?;
        self.told(json!({ "feature_id": id, "model_in_use": model }), &format!("{id} uses {model}"))
    }

    fn log(&self, log: &Log) -> Result<(), CliError> {
        let Some(line) = log.line()? else {
            return report::history(
                &self.feature(FeatureStatus::Active)?,
                log.limit,
                self.json,
                &self.env.clock(),
            );
        };
        let (id, line) = self.with(FeatureStatus::Active, |feature| {
            let task_id = match &log.task {
                Some(task) => Some(known_task(feature, task)?),
                None => feature.state.current.active_task.clone(),
            };
            feature.log(HistoryLine { task_id, ..line })
        })?;
        self.told(json!({ "feature_id": id, "line": line }), &format!("logged in {id}"))
    }

    fn go(&self, made: FeatureMove, from: FeatureStatus) -> Result<(), CliError> {
        let asked = self.asked(made.word(), "");
        let (id, status) = self.with(from, |it| it.move_to(made, &asked))?;
        self.told(
            json!({ "feature_id": id, "status": status }),
            &format!("{id} is {}", status.as_str()),
        )
    }

    fn archive(&self) -> Result<(), CliError> {
        let directory = self.open()?;
        let named = self.args.feature.as_deref();
        let id = directory.choose(named, FeatureStatus::Completed)?.id;
        directory.archive(&id, &self.asked("archive", ""))?;
        self.told(json!({ "feature_id": id }), &format!("archived {id}"))
    }

    fn acknowledge(&self, agent: &str, contract: &ContractFile) -> Result<(), CliError> {
        let checksum = contract.checksum(self.env)?.unwrap_or_else(own_checksum);
        self.open()?.acknowledge(agent, &checksum)?;
        let document = json!({ "agent": agent, "checksum": checksum });
        self.told(document, &format!("{agent} has read the contract {checksum}"))
    }

    fn check(&self, contract: &ContractFile) -> Result<(), CliError> {
        let directory = self.look()?;
        let only = self.args.feature.as_deref().map(|it| directory.named(it)).transpose()?;
        let checksums: Vec<_> =
            contract.checksum(self.env)?.into_iter().chain([own_checksum()]).collect();
        let audit = directory.check(only.as_deref(), &checksums)?;
        report::audit(&audit, self.json)?;
        match audit.errors.len() {
            0 => Ok(()),
            _ if self.json => Err(CliError::silent(ErrorKind::Refused)),
            1 => Err(CliError::refused(
                "one fault: a file does not conform to the contract",
                "taffrail work recover",
            )),
            several => Err(CliError::refused(
                format!("{several} faults: files do not conform to the contract"),
                "taffrail work recover",
            )),
        }
    }

    fn recover(&self) -> Result<(), CliError> {
        let directory = self.open()?;
        let only = self.args.feature.as_deref().map(|it| directory.named(it)).transpose()?;
        let recovered = directory.recover(only.as_deref())?;
        let left = directory.check(only.as_deref(), &[own_checksum()])?;
        report::recovered(&recovered, &left, self.json)
    }

    fn migrate(&self) -> Result<(), CliError> {
        let directory = self.open()?;
        let only = self.args.feature.as_deref().map(|it| directory.named(it)).transpose()?;
        report::migrated(&directory.migrate(only.as_deref())?, self.json)
    }
}

/// A directory with the id of the feature that is meant in it.
pub(super) struct Held {
    directory: Directory,
    id: String,
}

impl Held {
    fn new(
        directory: Directory,
        named: Option<&str>,
        wanted: FeatureStatus,
    ) -> Result<Self, CliError> {
        let id = directory.choose(named, wanted)?.id;
        Ok(Self { directory, id })
    }

    pub(super) fn feature(&self) -> Result<Feature<'_>, CliError> {
        Ok(self.directory.feature(&self.id)?)
    }

    /// The sessions that work for it. Where no index can be read, none are known.
    fn sessions(&self, env: &Env) -> Vec<Session> {
        let project = self.directory.project();
        let config = Config::read(&env.config_path()).unwrap_or_default();
        let found = sessions_of_feature(&env.settings(&config), project, &self.id);
        let found = found.unwrap_or_default();
        let Ok(client) = Client::connect(&env.state_folder()) else { return found };
        // A daemon also knows where sessions run; a session it does not know stays as found.
        let known = |it: Session| client.get(&format!("/api/sessions/{}", it.id)).unwrap_or(it);
        found.into_iter().map(known).collect()
    }
}

impl ContractFile {
    fn checksum(&self, env: &Env) -> Result<Option<String>, CliError> {
        let Some(file) = &self.contract_file else { return Ok(None) };
        Ok(Some(checksum(&std::fs::read(env.here.join(file))?)))
    }
}

fn own_checksum() -> String {
    checksum(CONTRACT.as_bytes())
}

fn known_task(feature: &Feature<'_>, id: &str) -> Result<String, WorkError> {
    let unknown = || WorkError::Refused(format!("there is no task {id} in the plan"));
    feature.plan()?.task(id).map(|it| it.task_id.clone()).ok_or_else(unknown)
}

fn known_model(name: &str) -> Result<Model, CliError> {
    let names = Model::ALL.map(Model::as_str).join(", ");
    let message = format!("the contract knows no model {name:?}");
    Model::named(name).ok_or_else(|| CliError::refused(message, format!("the models are {names}")))
}
