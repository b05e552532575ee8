//! `taffrail work`

mod agreement;
mod conversion;
mod failure;
mod held;
mod log;
mod report;
mod task;

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::{Out, say};
use agreement::ContractFile;
use clap::{Subcommand, ValueHint};
use failure::Failure;
use log::Log;
use report::Row;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::PathBuf;
use taffrail_api::SCHEMA_VERSION;
use taffrail_contracts::ai_session::{FeatureMove, FeatureStatus, HistoryLine, Model};
use taffrail_env::{self as env, Env};
use taffrail_model::Timestamp;
use taffrail_workspace::{Directory, Feature, Held, Invocation, New, Origin, WorkError};

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
  taffrail work ls --archived       what was completed and archived
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
    Ls {
        /// List archived features
        #[arg(long)]
        archived: bool,
    },
    /// Show a feature: its state and its plan
    Show {
        /// Show an archived feature
        #[arg(long)]
        archived: bool,
    },
    /// Show the plan only
    Plan {
        /// Show the plan of an archived feature
        #[arg(long)]
        archived: bool,
    },
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
    Recover {
        #[command(flatten)]
        contract: ContractFile,
    },
    /// Migrate state files to the version of the contract; keeps the old files
    Migrate,
}

/// What every part of the command is given.
pub(super) struct Work<'a> {
    pub(super) args: &'a Args,
    pub(super) env: &'a Env,
    json: bool,
    began: Timestamp,
    /// The feature that the command is about, once it is known.
    chosen: RefCell<Option<String>>,
}

pub(super) fn run(args: &Args, env: &Env, json: bool) -> Result<(), CliError> {
    let work = Work { args, env, json, began: env::now(), chosen: RefCell::new(None) };
    work.act().map_err(|failure| work.failed(failure))
}

impl Work<'_> {
    fn act(&self) -> Result<(), Failure> {
        match &self.args.action {
            Action::New { name, description, model } => self.make(name, description, model),
            Action::Import { file, model } => self.import(file, model),
            Action::Export => self.export(),
            Action::Ls { archived } => self.list(Origin::of(*archived)),
            Action::Show { archived } => self.show(Origin::of(*archived)),
            Action::Plan { archived } => {
                Ok(report::plan(&self.held(Origin::of(*archived))?, self.json)?)
            }
            Action::Task { action } => task::run(action, self),
            Action::Use { model } => self.use_model(model),
            Action::Log(log) => self.log(log),
            Action::Pause => self.go(FeatureMove::Pause, FeatureStatus::Active),
            Action::Resume => self.go(FeatureMove::Resume, FeatureStatus::Paused),
            Action::Complete => self.go(FeatureMove::Complete, FeatureStatus::Active),
            Action::Archive => self.archive(),
            Action::Ack { agent, contract } => self.acknowledge(agent, contract),
            Action::Contract => Ok(agreement::contract(self.json)?),
            Action::Check { contract } => self.check(contract),
            Action::Recover { contract } => self.recover(contract),
            Action::Migrate => self.migrate(),
        }
    }

    pub(super) fn open(&self) -> Result<Directory, Failure> {
        Ok(self.open_directory()?)
    }

    fn open_directory(&self) -> Result<Directory, WorkError> {
        Directory::open(&self.env.here, env::now)
    }

    /// To read only.
    fn look(&self) -> Result<Directory, WorkError> {
        Directory::look(&self.env.here, env::now)
    }

    /// The feature that is meant, to read only.
    fn held(&self, origin: Origin) -> Result<Held, Failure> {
        let held = Held::choose(self.look()?, self.args.feature.as_deref(), origin)?;
        self.chose(&held.id);
        held.feature()?;
        Ok(held)
    }

    fn chose(&self, id: &str) {
        *self.chosen.borrow_mut() = Some(id.to_owned());
    }

    /// The feature that `--feature` names, if it is given.
    fn only(&self, directory: &Directory) -> Result<Option<String>, WorkError> {
        self.args.feature.as_deref().map(|it| directory.named(it)).transpose()
    }

    /// Does something with the feature that is meant.
    pub(super) fn with<T>(
        &self,
        wanted: FeatureStatus,
        act: impl FnOnce(&mut Feature<'_>) -> Result<T, WorkError>,
    ) -> Result<(String, T), Failure> {
        let directory = self.open()?;
        let id = directory.choose_id(self.args.feature.as_deref(), wanted)?;
        self.chose(&id);
        let mut feature = directory.feature(&id)?;
        let done = act(&mut feature)?;
        Ok((id, done))
    }

    /// The command, as the history records it.
    pub(super) fn invocation(&self) -> Invocation {
        let (command, arguments) = self.args.action.words();
        Invocation {
            command: format!("work {command}"),
            arguments,
            by: self.args.by.clone(),
            began: self.began,
        }
    }

    /// Reports what was done: as a document, or in words.
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

    fn make(&self, name: &str, description: &str, model: &str) -> Result<(), Failure> {
        let new = New {
            name: name.to_owned(),
            description: description.to_owned(),
            model: known_model(model)?,
        };
        let id = Directory::create(&self.env.here, &new, &self.invocation(), env::now)?;
        Ok(self.told(json!({ "feature_id": id }), &format!("made {id}"))?)
    }

    fn list(&self, origin: Origin) -> Result<(), Failure> {
        let (directory, clock) = (self.look()?, self.env.clock());
        let rows: Vec<_> = match origin {
            Origin::Archive => directory.archived()?.iter().map(Row::archived).collect(),
            Origin::Listed => directory.overview()?.iter().map(Row::listed).collect(),
        };
        let none = match origin {
            Origin::Archive => "no feature is archived",
            Origin::Listed => "no feature is listed; make one with `taffrail work new NAME`",
        };
        Ok(report::list(&rows, none, self.json, &clock)?)
    }

    fn show(&self, origin: Origin) -> Result<(), Failure> {
        let held = self.held(origin)?;
        let sessions = held::sessions(&held, self.env);
        Ok(report::show(&held, &sessions, self.json, &self.env.clock())?)
    }

    fn use_model(&self, model: &str) -> Result<(), Failure> {
        let known = known_model(model)?;
        let by = self.invocation();
        let (id, ()) = self.with(FeatureStatus::Active, |it| it.use_model(known, &by))?;
        let words = format!("{id} uses {model}");
        Ok(self.told(json!({ "feature_id": id, "model_in_use": model }), &words)?)
    }

    fn log(&self, log: &Log) -> Result<(), Failure> {
        let Some(line) = log.line()? else {
            let held = self.held(Origin::of(log.archived))?;
            return Ok(report::history(&held, log.limit, self.json, &self.env.clock())?);
        };
        let (id, line) = self.with(FeatureStatus::Active, |feature| {
            let task_id = match &log.task {
                Some(task) => Some(known_task(feature, task)?),
                None => feature.state.current.active_task.clone(),
            };
            feature.log(HistoryLine { task_id, ..line })
        })?;
        Ok(self.told(json!({ "feature_id": id, "line": line }), &format!("logged in {id}"))?)
    }

    fn go(&self, made: FeatureMove, from: FeatureStatus) -> Result<(), Failure> {
        let by = self.invocation();
        let (id, status) = self.with(from, |it| it.move_to(made, &by))?;
        let words = format!("{id} is {}", status.as_str());
        Ok(self.told(json!({ "feature_id": id, "status": status }), &words)?)
    }

    fn archive(&self) -> Result<(), Failure> {
        let directory = self.open()?;
        let named = self.args.feature.as_deref();
        let id = directory.choose_id(named, FeatureStatus::Completed)?;
        self.chose(&id);
        directory.archive(&id, &self.invocation())?;
        Ok(self.told(json!({ "feature_id": id }), &format!("archived {id}"))?)
    }

    fn migrate(&self) -> Result<(), Failure> {
        let directory = self.open()?;
        let only = self.only(&directory)?;
        Ok(report::migrated(&directory.migrate(only.as_deref())?, self.json)?)
    }
}

impl Action {
    /// The command and its arguments, for the history.
    fn words(&self) -> (String, String) {
        let (command, arguments) = match self {
            Self::New { name, .. } => ("new", name.as_str()),
            Self::Import { file, .. } => return ("import".to_owned(), file.display().to_string()),
            Self::Task { action } => return action.words(),
            Self::Use { model } => ("use", model.as_str()),
            Self::Log(log) => ("log", log.command()),
            Self::Ack { agent, .. } => ("ack", agent.as_str()),
            Self::Export => ("export", ""),
            Self::Ls { .. } => ("ls", ""),
            Self::Show { .. } => ("show", ""),
            Self::Plan { .. } => ("plan", ""),
            Self::Pause => ("pause", ""),
            Self::Resume => ("resume", ""),
            Self::Complete => ("complete", ""),
            Self::Archive => ("archive", ""),
            Self::Contract => ("contract", ""),
            Self::Check { .. } => ("check", ""),
            Self::Recover { .. } => ("recover", ""),
            Self::Migrate => ("migrate", ""),
        };
        (command.to_owned(), arguments.to_owned())
    }
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
