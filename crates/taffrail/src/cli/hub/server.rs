//! `taffrail hub config`: the configuration of a NATS server, and a certificate if it needs one.

use super::super::Context;
use crate::error::CliError;
use crate::output::{Out, say};
use anyhow::Context as _;
use clap::ValueHint;
use serde_json::json;
use std::io::ErrorKind as IoKind;
use std::path::{Path, PathBuf};
use taffrail_devices::device_names;
use taffrail_devices::hubs;
use taffrail_devices::hubs::server_file::{
    MADE, ServerOptions, beside, changes, remembered, steps, with_options,
};
use taffrail_devices::hubs::{ServerCertificate, TeamUsers};
use taffrail_model::DeviceId;
use taffrail_setup::replace;

#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    /// Address at which the server listens [default: 127.0.0.1:4222]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// Name or address by which your devices reach the server
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Your certificate and key (PEM); a server for other machines gets one if you give none
    #[arg(long, num_args = 2, value_names = ["CERT", "KEY"], value_hint = ValueHint::FilePath)]
    tls: Option<Vec<PathBuf>>,
    /// Folder where the server stores its data [default: /var/lib/nats]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Monitoring port, on the server's loopback address [default: 8222]
    #[arg(long, value_name = "PORT")]
    monitor: Option<u16>,
    /// Largest amount of data it stores, in gigabytes [default: 20]
    #[arg(long, value_name = "GB")]
    gigabytes: Option<u32>,
    /// Serve several teams from this many streams of each kind, apart from each other
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    streams: Option<u16>,
    /// Give each team an account of its own that stores at most this many megabytes
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    quota: Option<u32>,
    /// Also admit a team, from a file that `taffrail hub team` wrote there; repeatable
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    team: Vec<PathBuf>,
    /// Write to this file, or update a file that `hub config` wrote, with its options
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// What the options say, and where they say nothing, what the file remembers.
fn options(args: &ConfigArgs, before: ServerOptions) -> ServerOptions {
    let pair = args.tls.as_deref();
    let tls = pair.and_then(|it| Some((it.first()?.clone(), it.get(1)?.clone())));
    ServerOptions {
        listen: args.listen.clone().unwrap_or(before.listen),
        host: args.host.clone().or(before.host),
        tls: tls.or(before.tls),
        store: args.store.clone().unwrap_or(before.store),
        monitor: args.monitor.unwrap_or(before.monitor),
        gigabytes: args.gigabytes.unwrap_or(before.gigabytes),
        streams: args.streams.or(before.streams),
        quota: args.quota.or(before.quota),
        teams: if args.team.is_empty() { before.teams } else { args.team.clone() },
    }
}

/// The users of the other teams.
fn others(asked: &ServerOptions, context: &Context) -> Result<Vec<TeamUsers>, CliError> {
    if asked.streams.is_none() && asked.quota.is_none() && !asked.teams.is_empty() {
        return Err(CliError::usage(
            "--team needs --streams NUMBER, with which teams share streams, or --quota MB, with which \
             each has its own",
            "16 streams serve some thousand teams; see docs/hub.md",
        ));
    }
    if asked.streams.is_some() && asked.quota.is_some() {
        return Err(CliError::usage(
            "--quota and --streams exclude each other: a server cannot count the part of a team in \
             streams that teams share",
            "an option of before counts where you write to the same file: give another one with --out; see \
             docs/hub.md#many-teams-on-one-server",
        ));
    }
    asked.teams.iter().map(|it| other(&context.env.here.join(it))).collect()
}

fn other(path: &Path) -> Result<TeamUsers, CliError> {
    let shown = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(shown)?;
    let users: TeamUsers = serde_json::from_str(&text).with_context(shown)?;
    Ok(users.checked().with_context(shown)?)
}

/// Prints what the operator of a server needs to admit this team.
pub(super) fn team(context: &Context) -> Result<(), CliError> {
    Out::new().json(&hubs::team_users(&context.settings)?)
}

pub(super) fn run(args: &ConfigArgs, context: &Context) -> Result<(), CliError> {
    let file = args.out.as_ref().map(|it| context.env.here.join(it));
    let before = file.as_deref().map(read).transpose()?.flatten();
    let mut asked = options(args, before.as_deref().map(remembered).unwrap_or_default());
    let mut made = None;
    if asked.tls.is_none() && !asked.is_near() {
        made = Some(certified(&mut asked, file.as_deref())?);
    }
    let text = written(&asked, context)?;
    let mut out = Out::new();
    let Some(file) = file else {
        if context.json {
            return out.json(&json!({"schema_version": 1, "file": null, "config": text}));
        }
        out.line(text.trim_end())?;
        return out.end();
    };
    if let Some(certificate) = &made {
        keep_certificate(certificate, &asked, &file)?;
    }
    let is_new = before.is_none();
    replace(&file, &text)?;
    if context.json {
        return out.json(&json!({"schema_version": 1, "file": file, "config": text}));
    }
    match before {
        None => out.line(&format!("Wrote {}.", file.display()))?,
        Some(before) => out.line(&changed(&before, &text, &file, context))?,
    };
    out.lines(steps(&asked, &file, is_new))?;
    without_door(context)
}

/// Whose recovery key does not open the server.
fn without_door(context: &Context) -> Result<(), CliError> {
    for user in hubs::without_recovery_door(&context.settings)? {
        say(&format!(
            "The recovery key of {user} is too old to open this server: \
             make another with `taffrail key recovery`, then write the configuration again."
        ));
    }
    Ok(())
}

/// The file that is there, if it is ours.
fn read(path: &Path) -> Result<Option<String>, CliError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == IoKind::NotFound => return Ok(None),
        Err(error) if error.kind() == IoKind::InvalidData => String::new(),
        Err(error) => return Err(error).with_context(|| path.display().to_string())?,
    };
    match text.starts_with(MADE) {
        true => Ok(Some(text)),
        false => Err(in_the_way(path, "and was not written by `taffrail hub config`")),
    }
}

fn in_the_way(path: &Path, why: &str) -> CliError {
    CliError::refused(
        format!("{} exists {why}", path.display()),
        "nothing was written; move it away, or name another file with --out",
    )
}

fn written(asked: &ServerOptions, context: &Context) -> Result<String, CliError> {
    let others = others(asked, context)?;
    let text = hubs::configuration(&context.settings, asked, others)?;
    Ok(with_options(&text, asked).map_err(anyhow::Error::from)?)
}

/// A certificate for the server; the configuration names its files, which are beside it.
fn certified(
    asked: &mut ServerOptions,
    file: Option<&Path>,
) -> Result<ServerCertificate, CliError> {
    let Some(file) = file else {
        return Err(CliError::refused(
            "a server that other machines reach needs a certificate",
            "--out FILE makes one beside the file; --tls CERT KEY uses yours; --listen \
                 127.0.0.1:4222 needs none",
        ));
    };
    let stem = file.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    asked.tls = Some((format!("{stem}.cert.pem").into(), format!("{stem}.key.pem").into()));
    let (host, _) = asked.place();
    let names = if host == "HOST" { vec!["taffrail-hub".to_owned()] } else { vec![host] };
    let odd = |why| CliError::usage(format!("cannot make a certificate: {why}"), "see --host");
    ServerCertificate::made(names).map_err(odd)
}

/// Writes both files beside the configuration; what is there is not replaced.
fn keep_certificate(
    made: &ServerCertificate,
    asked: &ServerOptions,
    file: &Path,
) -> Result<(), CliError> {
    let Some((certificate, key)) = &asked.tls else { return Ok(()) };
    let (certificate, key) = (beside(file, certificate), beside(file, key));
    if let Some(there) = [&certificate, &key].into_iter().find(|it| it.symlink_metadata().is_ok()) {
        return Err(in_the_way(there, "already"));
    }
    replace(&key, &made.key)?;
    Ok(replace(&certificate, &made.certificate)?)
}

/// What is another than before.
fn changed(before: &str, now: &str, file: &Path, context: &Context) -> String {
    let names = device_names(&context.settings);
    let said = changes(before, now, &|id| names.name_of(&DeviceId::new(id)));
    match before == now {
        true => format!("{} is up to date.", file.display()),
        false if said.is_empty() => format!("Wrote {} again.", file.display()),
        false => format!("Wrote {} again: {}.", file.display(), said.join(", ")),
    }
}
