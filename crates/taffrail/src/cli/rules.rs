//! `taffrail rules`

use super::confirmation::{agreed, not_agreed};
use super::handoff::shell;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use std::path::{Path, PathBuf};
use taffrail_api::{RuleAdded, SCHEMA_VERSION};
use taffrail_approvals::rules::{
    add, agent_named, propose, remove, rule_list, rule_suggestions, rule_test,
};
use taffrail_model::rules::{Decision, Request, Typed, warnings};
use taffrail_tui::rules::rows;
use taffrail_tui::terminal::line;

/// Decide approvals in advance: allow, deny or ask
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail rules add --allow --tool Bash --command 'cargo test *'
  taffrail rules add --deny --tool Bash --command 'git push *'
  taffrail rules add --ask --tool Bash --command 'git commit *' --project .
  taffrail rules test --tool Bash --command 'env git push'
      the decision for this command, and its reason
  taffrail rules
      the rules in force in this folder
  taffrail rules rm 2
  taffrail rules suggest
      rules that match your decisions so far
", after_help = "\
Taffrail compares a pattern word by word; a final `*` matches any words, or none. A deny wins over an ask, \
an ask over an allow; without a rule the agent asks you. An allow covers only plain commands joined by &&, || or ;. \
A deny also looks through env, sudo, sh -c and the like: it is a seat belt, not a wall. A repository can deny and ask in \
.taffrail/policy.toml, but cannot allow.
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Add a rule of your own
    Add(Added),
    /// List the rules in force here
    Ls {
        /// Folder, instead of the current one
        #[arg(long, value_name = "FOLDER")]
        project: Option<PathBuf>,
    },
    /// Remove one of your rules
    Rm {
        /// Number of the rule in the list
        number: usize,
    },
    /// Show the decision for a request, and its reason
    Test(Tested),
    /// Suggest rules that match your decisions so far; adds none
    Suggest,
}

#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail rules add --allow --tool Bash --command 'cargo test *'
  taffrail rules add --deny --tool Bash --command 'git push *' --agent codex
  taffrail rules add --allow --tool Read
  taffrail rules add --allow --tool Edit --file 'docs/**' --project .
  taffrail rules add --deny --tool '*' --file .env
  taffrail rules add --ask --tool '*' --when over-budget
")]
struct Added {
    #[command(flatten)]
    decision: Wish,
    /// Tool, as the agent names it; `*` for every tool
    #[arg(long)]
    tool: String,
    /// Commands, for a tool that runs commands; an allow without it covers none
    #[arg(long, value_name = "PATTERN")]
    command: Option<String>,
    /// Only these files, for a tool that names files: `*` within a folder, `**` across folders
    #[arg(long, value_name = "PATTERN", conflicts_with = "command")]
    file: Option<String>,
    /// Only this agent
    #[arg(long)]
    agent: Option<String>,
    /// Only in this folder and below it; for files, only files in it
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    /// Only while a budget of the session is spent; not for an allow
    #[arg(long, value_name = "CONDITION", value_parser = ["over-budget"])]
    when: Option<String>,
    /// Add an allow without asking at the terminal
    #[arg(long)]
    yes: bool,
}

// The decision.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Wish {
    /// Allow without asking
    #[arg(long)]
    allow: bool,
    /// Deny without asking
    #[arg(long)]
    deny: bool,
    /// Ask, even if another rule allows it
    #[arg(long)]
    ask: bool,
}

#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail rules test --tool Bash --command 'cargo test && git push'
  taffrail rules test --tool Write --agent claude-code --json
")]
struct Tested {
    /// Tool, as the agent names it
    #[arg(long)]
    tool: String,
    /// Command that the tool would run
    #[arg(long)]
    command: Option<String>,
    /// Agent that asks
    #[arg(long)]
    agent: Option<String>,
    /// Folder of the session, instead of the current one
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    /// File that the tool would write; repeatable
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
}

impl Wish {
    fn decision(&self) -> Decision {
        match (self.allow, self.deny) {
            (true, _) => Decision::Allow,
            (false, true) => Decision::Deny,
            (false, false) => Decision::Ask,
        }
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.action {
        None => list(context, None),
        Some(Action::Ls { project }) => list(context, project.as_deref()),
        Some(Action::Add(added)) => put_in(context, added),
        Some(Action::Rm { number }) => take_out(context, *number),
        Some(Action::Test(tested)) => test(context, tested),
        Some(Action::Suggest) => suggest(context),
    }
}

fn put_in(context: &Context, added: &Added) -> Result<(), CliError> {
    let project = added.project.as_deref().map(|it| folder(context, it));
    let typed = Typed {
        decision: added.decision.decision().to_string(),
        tool: added.tool.clone(),
        command: added.command.clone(),
        agent: added.agent.clone(),
        project: project.map(|it| it.to_string_lossy().into_owned()),
        file: added.file.clone(),
        when: added.when.clone(),
    };
    if added.decision.allow && !added.yes {
        let proposed = propose(&context.settings, &typed)?;
        let about = warnings(&proposed.rule);
        about.iter().for_each(|it| say(&format!("warning: {}", line(it))));
        if !agreed(&format!("From now on, without asking: {}?", line(&proposed.rule.text))) {
            return Err(not_agreed());
        }
    }
    let rule = add(&context.settings, &typed)?;
    let warnings = warnings(&rule);
    if context.json {
        let (number, rule) = (rule.number, rule.text);
        return Out::new().json(&RuleAdded {
            schema_version: SCHEMA_VERSION,
            number,
            rule,
            warnings,
        });
    }
    say(&format!("rule {}: {}", rule.number, line(&rule.text)));
    for warning in &warnings {
        say(&format!("warning: {}", line(warning)));
    }
    Ok(())
}

fn take_out(context: &Context, number: usize) -> Result<(), CliError> {
    let was = remove(&context.settings, number)?;
    let text = was.map_or_else(|| "it could not be read".to_owned(), |it| it.to_string());
    if context.json {
        let removed =
            serde_json::json!({"schema_version": SCHEMA_VERSION, "number": number, "rule": text});
        return Out::new().json(&removed);
    }
    say(&format!("removed rule {number}: {}", line(&text)));
    Ok(())
}

fn test(context: &Context, tested: &Tested) -> Result<(), CliError> {
    let project = tested.project.as_deref().unwrap_or(&context.env.here);
    let project = folder(context, project);
    let agent = tested.agent.as_deref().map(agent_named).transpose()?;
    let files: Vec<&str> = tested.file.iter().map(String::as_str).collect();
    let request = Request {
        tool: &tested.tool,
        command: tested.command.as_deref(),
        agent: agent.as_deref(),
        project: Some(&project),
        files: &files,
        beside: &[],
    };
    let answer = rule_test(&context.settings, &request);
    let mut out = Out::new();
    if context.json {
        return out.json(&answer);
    }
    out.line(&format!("{}: {}", answer.decision, line(&answer.why)))?;
    out.end()
}

fn suggest(context: &Context) -> Result<(), CliError> {
    let found = rule_suggestions(&context.settings)?;
    let mut out = Out::paged(context.pager.as_ref());
    if context.json {
        return out.json(&found);
    }
    for it in &found.suggestions {
        out.line(&line(&it.text))?;
        out.line(&format!("  {}", line(&shell(&it.add))))?;
    }
    out.end()?;
    match found.suggestions.is_empty() {
        true => say("nothing to suggest: too few commands were decided the same way"),
        false => say("run a command above to add its rule"),
    }
    Ok(())
}

fn list(context: &Context, project: Option<&Path>) -> Result<(), CliError> {
    let project = folder(context, project.unwrap_or(&context.env.here));
    let list = rule_list(&context.settings, Some(&project));
    let mut out = Out::paged(context.pager.as_ref());
    if context.json {
        return out.json(&list);
    }
    out.lines(rows(&list))?;
    if list.rules.is_empty() {
        say(&format!("no rules; yours go into {}", line(&list.file)));
    }
    if list.holds_back {
        say(
            "part of the rules cannot be read and might deny something: nothing is allowed by rule",
        );
    }
    Ok(())
}

/// A folder by its whole path; one that is there by its real one.
fn folder(context: &Context, path: &Path) -> PathBuf {
    let whole = context.env.here.join(path);
    std::fs::canonicalize(&whole).unwrap_or(whole)
}
