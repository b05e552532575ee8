//! The context of every command.

use super::events;
use crate::error::CliError;
use crate::output::{When, columns, is_terminal, styles};
use anyhow::Context as _;
use serde::de::DeserializeOwned;
use std::cell::OnceCell;
use std::fs::DirBuilder;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use taffrail_api::Session;
use taffrail_api::client::{Client, escaped, path};
use taffrail_config::{BoardConfig, Config};
use taffrail_context::{Settings, Target};
use taffrail_env::{Env, own_path};
use taffrail_ingest::Scope;
use taffrail_query::resolve::resolve;
use taffrail_tui::Styles;
use taffrail_tui::hyperlinks::{Links, are_supported};
use taffrail_tui::pager::Pager;
use taffrail_tui::printer::Printer;
use taffrail_tui::when::Clock;

/// Whether long output may go through a pager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paging {
    Allowed,
    Off,
}

/// What every command is given.
pub(crate) struct Context {
    pub(crate) env: Env,
    pub(crate) settings: Settings,
    /// The daemon, if one runs; then what is asked is asked of it.
    pub(crate) client: Option<Client>,
    /// The same API in this process, for questions while no daemon runs.
    local: OnceCell<Client>,
    /// Where telemetry is to be received, as it is configured.
    pub(crate) otel: Option<SocketAddr>,
    /// How the board looks, as it is configured.
    pub(crate) board: BoardConfig,
    /// Output and errors are JSON.
    pub(crate) json: bool,
    /// What a command that may print more than a screen prints through.
    pub(crate) pager: Option<Pager>,
}

impl Context {
    pub(super) fn new(json: bool) -> Result<Self, CliError> {
        taffrail_capture::keep_private();
        let env = Env::read()?;
        let config = Config::read(&env.config_path())?;
        let client = Client::connect(&env.state_folder()).ok();
        let settings = Settings { kept_up: client.is_some(), ..env.settings(&config) };
        let (otel, board) = (config.otel.listen, config.board);
        let local = OnceCell::new();
        Ok(Self { env, settings, client, local, otel, board, json, pager: None })
    }

    /// The same for a command that may print more than a screen.
    pub(super) fn paged(self, paging: Paging) -> Self {
        let pager = match paging {
            Paging::Allowed => self.env.pager(),
            Paging::Off => None,
        };
        Self { pager, ..self }
    }

    /// The colours, links and width of stdout; `None` for a file or a pipe without colours.
    pub(crate) fn printer(&self) -> Option<Printer> {
        let links = match When::are_links_on(are_supported(&self.env.variables)) {
            true => Links::On { host: self.settings.host.clone() },
            false => Links::Off,
        };
        self.printer_with(links)
    }

    /// The same for rows of another host, whose folders are not here.
    pub(crate) fn printer_without_links(&self) -> Option<Printer> {
        self.printer_with(Links::Off)
    }

    fn printer_with(&self, links: Links) -> Option<Printer> {
        let styles = styles();
        let is_plain = !is_terminal() && styles == Styles::Off;
        let looks = (self.board.theme, styles);
        (!is_plain).then(|| Printer::new(&self.env.variables, looks, columns(), links))
    }

    /// A file in our state folder, which is made where it is missing.
    pub(crate) fn state_file(&self, name: &str) -> Result<PathBuf, CliError> {
        let folder = self.env.state_folder();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder.join(name))
    }

    /// The present instant by the clock of the person who reads.
    pub(crate) fn clock(&self) -> Clock {
        self.env.clock()
    }

    /// The id of the session a person means, as the daemon knows it.
    pub(crate) fn id(&self, client: &Client, text: &str) -> Result<String, CliError> {
        let here = self.env.here.to_string_lossy();
        let asked = path("/api/resolve", &[("id", text), ("here", &here)]);
        Ok(client.get::<Session>(&asked)?.id.to_string())
    }

    /// The session a person means, indexed up to its sources.
    pub(crate) fn found(&self, word: &str) -> Result<Target, CliError> {
        if let Some(client) = &self.client {
            return Ok(Target::Id(self.id(client, word)?));
        }
        let target = self.target(word)?;
        events::refresh(self, &target)?;
        Ok(target)
    }

    /// Who answers questions: the daemon, or else the same API in this process. The index is answered
    /// from as it is.
    pub(crate) fn questions(&self) -> Result<&Client, CliError> {
        if let Some(client) = self.client.as_ref().or_else(|| self.local.get()) {
            return Ok(client);
        }
        let ours = (self.env.state_folder(), own_path(&self.env)?);
        let client = taffrail_server::http::local(&self.settings, ours)?;
        Ok(self.local.get_or_init(|| client))
    }

    /// The id of the session a person means, indexed up to its sources.
    pub(crate) fn found_id(&self, word: &str) -> Result<String, CliError> {
        match (&self.client, self.found(word)?) {
            (Some(_), Target::Id(id)) => Ok(id),
            (_, target) => Ok(resolve(&self.settings, &target)?.id.to_string()),
        }
    }

    /// What is answered about a session, at the end of its path.
    pub(crate) fn answer<T: DeserializeOwned>(
        &self,
        word: &str,
        path: &str,
    ) -> Result<T, CliError> {
        let id = self.found_id(word)?;
        Ok(self.questions()?.get(&format!("/api/sessions/{}/{path}", escaped(&id)))?)
    }

    /// A session as every client shows it.
    pub(crate) fn session(&self, target: &Target) -> Result<Session, CliError> {
        let id = resolve(&self.settings, target)?.id;
        Ok(self.questions()?.get(&format!("/api/sessions/{id}"))?)
    }

    /// The session a person means. Who waits is asked once: it may be another a moment later.
    pub(crate) fn target(&self, text: &str) -> Result<Target, CliError> {
        let target = Target::parse(text, &self.env.here);
        if target != Target::Waiting {
            return Ok(target);
        }
        Ok(Target::Id(match &self.client {
            Some(client) => self.id(client, text)?,
            None => {
                events::catch_up(self, &Scope::All)?;
                resolve(&self.settings, &target)?.id.to_string()
            }
        }))
    }
}
