//! `taffrail work`

use super::TEMPLATE;
use super::{work_say, work_task};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::rim::{self, Rim};
use clap::{Args as ClapArgs, Subcommand, ValueHint};
use serde_json::{Value, json};
use std::path::PathBuf;
use taffrail_api::{ErrorKind, SCHEMA_VERSION, Session};
use taffrail_contracts::ai_session::{
    CONTRACT, FeatureMove, FeatureStatus, HistoryLine, Model, Outcome, checksum,
};
use taffrail_daemon::sessions_of_feature;
use taffrail_model::Timestamp;
use taffrail_workspace::{Asked, Directory, Feature, New, WorkError};

/// Keep the plan and the state of a feature in the project's `.ai-session` directory
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail work new \"Dark mode\" --description \"a theme for the night\"
  taffrail work task add t1 --phase build --description \"a switch\" --agent claude-code
  taffrail work task start t1
  taffrail work show                what is being done, and what is left
  taffrail work check               is every file as the contract wants it
  taffrail work recover             and mend what is not
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
    /// The feature, by its id or the beginning of it; else the only active one
    #[arg(long, value_name = "ID", global = true)]
    feature: Option<String>,
    /// Who asks, for the history
    #[arg(long, value_name = "AGENT", global = true, default_value = "taffrail")]
    by: String,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a feature, and the directory where there is none
    New {
        /// Its name; the id is made of it and of today's date
        name: String,
        /// What it is about
        #[arg(long, value_name = "TEXT", default_value = "")]
        description: String,
        /// The model it begins with
        #[arg(long, value_name = "MODEL", default_value = "opus")]
        model: String,
    },
    /// List the features
    Ls,
    /// Show a feature: its state and its plan
    Show,
    /// Show the plan only
    Plan,
    /// Add a task, or say how one goes on
    Task {
        #[command(subcommand)]
        action: work_task::Action,
    },
    /// Say which model is in use from now on
    Use {
        /// A model the contract knows
        model: String,
    },
    /// Append a line to the history; without --command, show its last lines
    Log(Log),
    /// Let the feature rest
    Pause,
    /// Go on with a feature that rests
    Resume,
    /// Say that the feature is finished
    Complete,
    /// Put a completed feature out of the way, and keep it
    Archive,
    /// Note that an agent has read the contract
    Ack {
        /// Who
        #[arg(long, value_name = "AGENT")]
        agent: String,
        #[command(flatten)]
        contract: ContractFile,
    },
    /// Print the contract, whose SHA-256 an acknowledgment carries
    Contract,
    /// Say everything that is not as the contract wants it
    Check {
        #[command(flatten)]
        contract: ContractFile,
    },
    /// Mend what is corrupt or missing; what was there is kept beside it
    Recover,
    /// Bring states to the version of the contract; the old files stay
    Migrate,
}

#[derive(Debug, ClapArgs)]
struct ContractFile {
    /// Another text of the contract than `work contract` prints
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    contract_file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
struct Log {
    /// What was done
    #[arg(long, value_name = "TEXT", requires_all = ["model", "agent", "status", "duration_ms"])]
    command: Option<String>,
    /// With what
    #[arg(long, value_name = "TEXT", default_value = "", requires = "command")]
    arguments: String,
    /// By which model
    #[arg(long, value_name = "MODEL", requires = "command")]
    model: Option<String>,
    /// By whom
    #[arg(long, value_name = "AGENT", requires = "command")]
    agent: Option<String>,
    /// For which task; else for the active one
    #[arg(long, value_name = "ID", requires = "command")]
    task: Option<String>,
    /// How it ended: success or failure
    #[arg(long, value_name = "STATUS", requires = "command")]
    status: Option<String>,
    /// How long it took
    #[arg(long, value_name = "N", requires = "command")]
    duration_ms: Option<u64>,
    /// What went wrong, of a failure
    #[arg(long, value_name = "TEXT", requires = "command")]
    error: Option<String>,
    /// How many lines to show
    #[arg(short = 'n', value_name = "N", default_value_t = 20, conflicts_with = "command")]
    lines: usize,
}

/// What every part of the command is given.
pub(super) struct Work<'a> {
    pub(super) args: &'a Args,
    pub(super) rim: &'a Rim,
}

pub(super) fn run(args: &Args, rim: &Rim) -> Result<(), CliError> {
    let work = Work { args, rim };
    match &args.action {
        Action::New { name, description, model } => work.make(name, description, model),
        Action::Ls => work_say::list(&work.open()?.overview()?, args.json),
        Action::Show => {
            let held = work.feature(FeatureStatus::Active)?;
            work_say::show(&held, &held.sessions(rim), args.json)
        }
        Action::Plan => work_say::plan(&work.feature(FeatureStatus::Active)?, args.json),
        Action::Task { action } => work_task::run(action, &work),
        Action::Use { model } => work.use_model(model),
        Action::Log(log) => work.log(log),
        Action::Pause => work.go(FeatureMove::Pause, FeatureStatus::Active),
        Action::Resume => work.go(FeatureMove::Resume, FeatureStatus::Paused),
        Action::Complete => work.go(FeatureMove::Complete, FeatureStatus::Active),
        Action::Archive => work.archive(),
        Action::Ack { agent, contract } => work.acknowledge(agent, contract),
        Action::Contract => contract(),
        Action::Check { contract } => work.check(contract),
        Action::Recover => work.recover(),
        Action::Migrate => work.migrate(),
    }
}

/// Every byte of it, and no other: its checksum is what agents acknowledge.
fn contract() -> Result<(), CliError> {
    let mut out = Out::new();
    out.line(CONTRACT.trim_end_matches('\n'))?;
    out.end()
}

impl Work<'_> {
    pub(super) fn open(&self) -> Result<Directory, CliError> {
        Ok(Directory::open(&self.rim.here, rim::now)?)
    }

    fn feature(&self, wanted: FeatureStatus) -> Result<Held, CliError> {
        Held::new(self.open()?, self.args.feature.as_deref(), wanted)
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

    pub(super) fn asked(&self, command: &str, arguments: &str) -> Asked {
        Asked {
            command: format!("work {command}"),
            arguments: arguments.to_owned(),
            by: self.args.by.clone(),
        }
    }

    /// Tells what was done: as a document, or in words.
    pub(super) fn told(&self, mut document: Value, words: &str) -> Result<(), CliError> {
        if !self.args.json {
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
        let id = Directory::create(&self.rim.here, &new, &asked, rim::now)?;
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
            return work_say::history(
                &self.feature(FeatureStatus::Active)?,
                log.lines,
                self.args.json,
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
        let checksum = contract.checksum(self.rim)?.unwrap_or_else(own_checksum);
        self.open()?.acknowledge(agent, &checksum)?;
        let document = json!({ "agent": agent, "checksum": checksum });
        self.told(document, &format!("{agent} has read the contract {checksum}"))
    }

    fn check(&self, contract: &ContractFile) -> Result<(), CliError> {
        let directory = self.open()?;
        let only = self.args.feature.as_deref().map(|it| directory.named(it)).transpose()?;
        let checksums: Vec<_> =
            contract.checksum(self.rim)?.into_iter().chain([own_checksum()]).collect();
        let audit = directory.check(only.as_deref(), &checksums)?;
        work_say::audit(&audit, self.args.json)?;
        match audit.errors.len() {
            0 => Ok(()),
            _ if self.args.json => Err(CliError::silent(ErrorKind::Refused)),
            1 => Err(refused("one thing is not as the contract wants it", "taffrail work recover")),
            several => Err(refused(
                &format!("{several} things are not as the contract wants them"),
                "taffrail work recover",
            )),
        }
    }

    fn recover(&self) -> Result<(), CliError> {
        let directory = self.open()?;
        let only = self.args.feature.as_deref().map(|it| directory.named(it)).transpose()?;
        let recovered = directory.recover(only.as_deref())?;
        let left = directory.check(only.as_deref(), &[own_checksum()])?;
        work_say::recovered(&recovered, &left, self.args.json)
    }

    fn migrate(&self) -> Result<(), CliError> {
        let directory = self.open()?;
        let only = self.args.feature.as_deref().map(|it| directory.named(it)).transpose()?;
        work_say::migrated(&directory.migrate(only.as_deref())?, self.args.json)
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
    fn sessions(&self, rim: &Rim) -> Vec<Session> {
        let project = self.directory.project();
        sessions_of_feature(&rim.data_folder(), project, &self.id).unwrap_or_default()
    }
}

impl ContractFile {
    fn checksum(&self, rim: &Rim) -> Result<Option<String>, CliError> {
        let Some(file) = &self.contract_file else { return Ok(None) };
        Ok(Some(checksum(&std::fs::read(rim.here.join(file))?)))
    }
}

impl Log {
    /// The line that is to be appended; none where none is.
    fn line(&self) -> Result<Option<HistoryLine>, CliError> {
        let Some(command) = &self.command else { return Ok(None) };
        let status = match self.status.as_deref() {
            Some("success") => Outcome::Success,
            Some("failure") => Outcome::Failure,
            _ => return Err(refused("a status is success or failure", "taffrail work log --help")),
        };
        match (status, &self.error) {
            (Outcome::Failure, None) => {
                return Err(refused("a failure says what went wrong", "--error TEXT"));
            }
            (Outcome::Success, Some(_)) => {
                return Err(refused("a success has no error", "--status failure"));
            }
            (Outcome::Success, None) | (Outcome::Failure, Some(_)) => {}
        }
        Ok(Some(HistoryLine {
            timestamp: Timestamp::UNIX_EPOCH,
            command: command.clone(),
            arguments: self.arguments.clone(),
            model: known_model(self.model.as_deref().unwrap_or_default())?,
            agent: self.agent.clone().unwrap_or_default(),
            task_id: None,
            status,
            duration_ms: self.duration_ms.unwrap_or_default(),
            error: self.error.clone(),
            change: None,
        }))
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
    Model::named(name).ok_or_else(|| refused(&message, &format!("the models are {names}")))
}

fn refused(message: &str, hint: &str) -> CliError {
    CliError { kind: ErrorKind::Refused, message: message.to_owned(), hint: Some(hint.to_owned()) }
}
