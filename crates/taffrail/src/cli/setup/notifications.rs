//! The setup step that shows and tests the notification channels.

use super::{Context, Ended, Walk};
use crate::error::CliError;
use taffrail_notify::try_channels;
use taffrail_tui::terminal::line;

pub(super) fn step(context: &Context, walk: Walk) -> Result<Ended, CliError> {
    let channels = try_channels(&context.settings, None, true);
    if channels.is_empty() {
        walk.tell("  no desktop session found and no notification channel configured")?;
        walk.tell("    taffrail config set notifications.command '[\"my-program\"]' sets one;")?;
        walk.tell("    docs/notifications.md lists the others")?;
        return Ok(Ended::Left);
    }
    for it in &channels {
        walk.tell(&format!("  {}: already set up", it.channel))?;
        it.shows.iter().try_for_each(|shown| walk.tell(&format!("    {}", line(shown))))?;
    }
    if !walk.agree("Send this as a test?")? {
        return Ok(Ended::Already);
    }
    for it in try_channels(&context.settings, None, false) {
        walk.tell(&match it.came {
            Some(Ok(came)) => format!("  {}: sent: {}", it.channel, line(&came)),
            Some(Err(why)) => format!("  {}: not sent: {}", it.channel, line(&why)),
            None => format!("  {}: not sent", it.channel),
        })?;
    }
    Ok(Ended::Already)
}
