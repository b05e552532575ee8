//! `taffrail rules`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::line;
use std::path::{Path, PathBuf};
use taffrail_api::{RuleAdded, RuleList, RuleRow, RuleSuggestion, SCHEMA_VERSION};
use taffrail_daemon::rules::{add, agent_named, remove, rule_list, rule_suggestions, rule_test};
use taffrail_model::rules::{Decision, Request, Typed, warnings};

/// Decide approvals beforehand: allow, deny or ask
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail rules add --allow --tool Bash --command 'cargo test *'
  taffrail rules add --deny --tool Bash --command 'git push *'
  taffrail rules add --ask --tool Bash --command 'git commit *' --project .
  taffrail rules test --tool Bash --command 'env git push'    what would be decided, and why
  taffrail rules                                              what is in force here
  taffrail rules rm 2
  taffrail rules suggest                                      what your decisions so far speak for
", after_help = "\
A pattern is compared word by word; a last `*` is any words, or none. A deny anywhere wins, then an ask, \
then an allow; without a rule you are asked. An allow is only for plain commands, joined by &&, || or ;. A deny looks \
through env, sudo, sh -c and the like, and is a seat belt, not a wall. A repository may deny and ask in \
.taffrail/policy.toml, and never allow.
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Add a rule of your own
    Add(Added),
    /// List the rules in force here
    Ls {
        /// In this folder instead of the current one
        #[arg(long, value_name = "FOLDER")]
        project: Option<PathBuf>,
    },
    /// Remove one of your rules
    Rm {
        /// Its number in the list
        number: usize,
    },
    /// Say what would be decided about a request, and why
    Test(Tested),
    /// Offer rules that your decisions so far speak for; none is added
    Suggest,
}

#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail rules add --allow --tool Bash --command 'cargo test *'
  taffrail rules add --deny --tool Bash --command 'git push *' --agent codex
  taffrail rules add --allow --tool Read
")]
struct Added {
    #[command(flatten)]
    decision: Wish,
    /// The tool, as the agent names it; `*` for every one
    #[arg(long)]
    tool: String,
    /// The commands, for a tool that runs any; without it a rule that allows is for none
    #[arg(long, value_name = "PATTERN")]
    command: Option<String>,
    /// Only for this agent
    #[arg(long)]
    agent: Option<String>,
    /// Only in this folder and below
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
}

// What is decided.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Wish {
    /// Allow it without asking
    #[arg(long)]
    allow: bool,
    /// Deny it without asking
    #[arg(long)]
    deny: bool,
    /// Ask, whatever another rule allows
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
    /// The tool, as the agent names it
    #[arg(long)]
    tool: String,
    /// The command it would run
    #[arg(long)]
    command: Option<String>,
    /// The agent that asks
    #[arg(long)]
    agent: Option<String>,
    /// The folder it works in, instead of the current one
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
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
        None => list(context, None, args.json),
        Some(Action::Ls { project }) => list(context, project.as_deref(), args.json),
        Some(Action::Add(added)) => put_in(context, added, args.json),
        Some(Action::Rm { number }) => take_out(context, *number, args.json),
        Some(Action::Test(tested)) => test(context, tested, args.json),
        Some(Action::Suggest) => suggest(context, args.json),
    }
}

fn put_in(context: &Context, added: &Added, json: bool) -> Result<(), CliError> {
    let project = added.project.as_deref().map(|it| folder(context, it));
    let typed = Typed {
        decision: added.decision.decision().to_string(),
        tool: added.tool.clone(),
        command: added.command.clone(),
        agent: added.agent.clone(),
        project: project.map(|it| it.to_string_lossy().into_owned()),
    };
    let rule = add(&context.settings, &typed)?;
    let warnings = warnings(&rule);
    if json {
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

fn take_out(context: &Context, number: usize, json: bool) -> Result<(), CliError> {
    let was = remove(&context.settings, number)?;
    let text = was.map_or_else(|| "it could not be read".to_owned(), |it| it.to_string());
    if json {
        let removed =
            serde_json::json!({"schema_version": SCHEMA_VERSION, "number": number, "rule": text});
        return Out::new().json(&removed);
    }
    say(&format!("removed rule {number}: {}", line(&text)));
    Ok(())
}

fn test(context: &Context, tested: &Tested, json: bool) -> Result<(), CliError> {
    let project = tested.project.as_deref().unwrap_or(&context.rim.here);
    let project = folder(context, project);
    let agent = tested.agent.as_deref().map(agent_named).transpose()?;
    let request = Request {
        tool: &tested.tool,
        command: tested.command.as_deref(),
        agent: agent.as_deref(),
        project: Some(&project),
    };
    let answer = rule_test(&context.settings, &request);
    let mut out = Out::new();
    if json {
        return out.json(&answer);
    }
    out.line(&format!("{}: {}", answer.decision, line(&answer.why)))?;
    out.end()
}

fn suggest(context: &Context, json: bool) -> Result<(), CliError> {
    let found = rule_suggestions(&context.settings)?;
    let mut out = Out::paged(context.pager.as_ref());
    if json {
        return out.json(&found);
    }
    for it in &found.suggestions {
        out.line(&line(&it.text))?;
        out.line(&format!("  {}", line(&typed(it))))?;
    }
    out.end()?;
    match found.suggestions.is_empty() {
        true => say("nothing to suggest: no command was decided alike often enough"),
        false => say("none of these is in force until you run its command"),
    }
    Ok(())
}

/// The command that would add it, as a shell reads it.
fn typed(it: &RuleSuggestion) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./:,=+@%".contains(it);
    let word = |text: &String| match !text.is_empty() && text.chars().all(is_plain) {
        true => text.clone(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    };
    it.add.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn list(context: &Context, project: Option<&Path>, json: bool) -> Result<(), CliError> {
    let project = folder(context, project.unwrap_or(&context.rim.here));
    let list = rule_list(&context.settings, Some(&project));
    let mut out = Out::paged(context.pager.as_ref());
    if json {
        return out.json(&list);
    }
    for row in rows(&list) {
        out.line(&row)?;
    }
    out.end()?;
    if list.rules.is_empty() {
        say(&format!("no rules; yours go into {}", line(&list.file)));
    }
    if list.holds_back {
        say("a part that cannot be read may have denied something: nothing is allowed by rule");
    }
    Ok(())
}

/// The rules, under the file each is in.
fn rows(list: &RuleList) -> Vec<String> {
    let mut out = Vec::new();
    let mut file = "";
    for rule in &list.rules {
        if rule.file != file {
            file = &rule.file;
            out.push(format!("{} ({})", line(file), rule.origin));
        }
        out.push(row(rule));
    }
    out
}

fn row(rule: &RuleRow) -> String {
    let number = rule.number.map_or_else(|| "-".to_owned(), |it| it.to_string());
    let text = match &rule.fault {
        Some(fault) => format!("✕ {}: {fault}", rule.text),
        None => rule.text.clone(),
    };
    format!("{number:>4}  {}", line(&text))
}

/// A folder by its whole path; one that is there by its real one.
fn folder(context: &Context, path: &Path) -> PathBuf {
    let whole = context.rim.here.join(path);
    std::fs::canonicalize(&whole).unwrap_or(whole)
}
