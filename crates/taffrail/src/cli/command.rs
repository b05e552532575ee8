//! The table of commands.

use super::context::{Context, Paging};
use super::{
    acp, agents, annotations, approvals, archive, attach, away, backup, blame, budgets, capture,
    completions, config, conformance, daemon, device, doctor, document, events, explain, export,
    feed, findings, forget, handoff, health, hooks, hub, index, key, link, ls, man, mcp,
    notifications, prices, quota, rebuild, resume, rules, run, schema, search, send, service,
    setup, share, show, snapshot, state, stats, status_bar, summary, tail, telemetry, teleport,
    token, uninstall, upgrade, usage, validate, wait, web, work,
};
use crate::error::CliError;
use clap::Subcommand;
use taffrail_env::Env;

// A plain comment: a documented one would become the help of the program.
// A command and its arguments.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Index(index::Args),
    Ls(ls::Args),
    Search(search::Args),
    Show(show::Args),
    Events(events::Args),
    Tail(tail::Args),
    Explain(explain::Args),
    Wait(wait::Args),
    Attach(attach::Args),
    Resume(resume::Args),
    Send(send::Args),
    Queue(send::QueueArgs),
    Run(run::Args),
    Acp(acp::Args),
    Approvals(approvals::Args),
    Approve(approvals::ApproveArgs),
    Deny(approvals::DenyArgs),
    Away(away::Args),
    #[command(alias = "notify")]
    Notifications(notifications::Args),
    #[command(alias = "binding")]
    Link(link::Args),
    Feed(feed::Args),
    Findings(findings::Args),
    Summary(summary::Args),
    Handoff(handoff::Args),
    Stats(stats::Args),
    Usage(usage::Args),
    // Listed in the help of `usage`.
    #[command(hide = true)]
    Budgets(budgets::Args),
    #[command(hide = true)]
    Prices(prices::Args),
    Quota(quota::Args),
    Blame(blame::Args),
    Commits(blame::CommitsArgs),
    Export(export::Args),
    Archive(archive::Args),
    Forget(forget::Args),
    Capture(capture::Args),
    Backup(backup::BackupArgs),
    Restore(backup::RestoreArgs),
    Device(device::Args),
    Key(key::Args),
    Teleport(teleport::Args),
    Share(share::Args),
    Document(document::Args),
    Conformance(conformance::Args),
    Work(work::Args),
    #[command(hide = true)]
    Snapshot(snapshot::Args),
    #[command(hide = true)]
    State(state::Args),
    Tag(annotations::TagArgs),
    Note(annotations::NoteArgs),
    #[command(hide = true)]
    Validate(validate::Args),
    #[command(hide = true)]
    Schema(schema::Args),
    Agents(agents::Args),
    Web(web::Args),
    Daemon(daemon::Args),
    #[command(hide = true)]
    Health(health::Args),
    #[command(alias = "status")]
    StatusBar(status_bar::Args),
    #[command(hide = true)]
    Statusline(status_bar::LineArgs),
    Setup(setup::Args),
    Service(service::Args),
    Upgrade(upgrade::Args),
    Uninstall(uninstall::Args),
    Token(token::Args),
    #[command(alias = "otel")]
    Telemetry(telemetry::Args),
    Hub(hub::Args),
    Hooks(hooks::Args),
    Mcp(mcp::Args),
    Hook(hooks::HookArgs),
    Rules(rules::Args),
    Rebuild(rebuild::Args),
    Doctor(doctor::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs a command.
pub(super) fn dispatch(command: Command, paging: Paging, json: bool) -> Result<(), CliError> {
    let context = || Context::new(json);
    let paged = || Ok::<_, CliError>(context()?.paged(paging));
    match command {
        Command::Config(args) => config::run(args, &Env::read()?, json),
        Command::Completions(args) => completions::run(&args, json),
        Command::Man(args) => man::run(&args, super::program(), json),
        Command::Index(_) => index::run(&context()?),
        Command::Ls(args) => ls::run(&args, &paged()?),
        Command::Search(args) => search::run(&args, &paged()?),
        Command::Show(args) => show::run(&args, &paged()?),
        Command::Events(args) => events::run(&args, &paged()?),
        Command::Tail(args) => tail::run(&args, &paged()?),
        Command::Stats(args) => stats::run(&args, &paged()?),
        Command::Budgets(args) => budgets::run(&args, &context()?),
        Command::Usage(args) => usage::run(&args, &paged()?),
        Command::Prices(args) => prices::run(&args, &context()?),
        Command::Blame(args) => blame::run(&args, &paged()?),
        Command::Commits(args) => blame::commits(&args, &paged()?),
        Command::Quota(_) => quota::run(&context()?),
        Command::Export(args) => export::run(&args, &context()?),
        Command::Archive(args) => archive::run(&args, &paged()?),
        Command::Forget(args) => forget::run(&args, &context()?),
        Command::Capture(args) => capture::run(&args, &context()?),
        Command::Backup(args) => backup::backup(&args, &context()?),
        Command::Restore(args) => backup::restore(&args, &context()?),
        Command::Device(args) => device::run(&args, &context()?),
        Command::Key(args) => key::run(&args, &context()?),
        Command::Teleport(args) => teleport::run(&args, &context()?),
        Command::Share(args) => share::run(&args, &context()?),
        Command::Document(args) => document::run(&args, json),
        Command::Conformance(args) => conformance::run(&args, json),
        Command::Work(args) => work::run(&args, &Env::read()?, json),
        Command::Snapshot(args) => snapshot::run(&args, &context()?),
        Command::State(args) => state::run(&args, json),
        Command::Tag(args) => annotations::tag(&args, &context()?),
        Command::Note(args) => annotations::note(&args, &context()?),
        Command::Validate(args) => validate::run(&args, json),
        Command::Schema(args) => schema::run(&args, json),
        Command::Agents(args) => agents::run(&args, &context()?),
        Command::Web(args) => web::run(&args, &context()?),
        Command::Daemon(args) => daemon::run(&args, &paged()?),
        Command::Setup(args) => setup::run(&args, &context()?),
        Command::Service(args) => service::run(&args, &context()?),
        Command::Upgrade(args) => upgrade::run(&args, &context()?),
        Command::Uninstall(args) => uninstall::run(&args, &context()?),
        Command::StatusBar(args) => status_bar::run(&args, &Env::read()?, json),
        Command::Health(_) => health::run(&context()?),
        Command::Token(args) => token::run(&args, &context()?),
        Command::Explain(args) => explain::run(&args, &paged()?),
        Command::Attach(args) => attach::run(&args, &context()?),
        Command::Resume(args) => resume::run(&args, &context()?),
        Command::Send(args) => send::run(&args, &context()?),
        Command::Queue(args) => send::run_queue(&args, &context()?),
        Command::Approvals(args) => approvals::run(&args, &paged()?),
        Command::Approve(args) => approvals::approve(&args, &context()?),
        Command::Deny(args) => approvals::deny(&args, &context()?),
        Command::Away(args) => away::run(&args, &context()?),
        Command::Notifications(args) => notifications::run(&args, &context()?),
        Command::Feed(args) => feed::run(&args, &paged()?),
        Command::Findings(args) => findings::run(&args, &paged()?),
        Command::Handoff(args) => handoff::run(&args, &context()?),
        Command::Wait(args) => wait::run(&args, &context()?),
        Command::Link(args) => link::run(&args, &context()?),
        Command::Summary(args) => summary::run(&args, &context()?),
        Command::Telemetry(args) => telemetry::run(&args, &context()?),
        Command::Hub(args) => hub::run(&args, &context()?),
        Command::Hooks(args) => hooks::run(&args, &paged()?),
        Command::Mcp(args) => mcp::run(&args, &context()?),
        // These are handled before this point.
        Command::Hook(_) | Command::Run(_) | Command::Acp(_) | Command::Statusline(_) => Ok(()),
        Command::Rules(args) => rules::run(&args, &paged()?),
        Command::Rebuild(args) => rebuild::run(&args, &context()?),
        Command::Doctor(_) => doctor::run(&context()?),
    }
}
