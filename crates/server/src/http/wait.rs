//! Waits for a session to reach a status.

use super::api_error::ApiError;
use super::app::App;
use super::auth::Pass;
use super::extract::Query;
use super::fanout::{Batch, Frame};
use super::sessions::found;
use super::subscribe::meant;
use axum::extract::State;
use axum::{Extension, Json};
use std::collections::HashSet;
use std::time::Duration;
use taffrail_api::{SCHEMA_VERSION, WaitQuery, WaitReply};
use taffrail_context::Target;
use taffrail_daemon::live::Handle;
use taffrail_model::SessionId;
use taffrail_model::status::Status;
use taffrail_query::resolve::resolve;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

/// The default timeout in seconds.
const USUAL: f64 = 60.0;
/// The longest timeout in seconds.
const LONGEST: f64 = 600.0;
const WORDS: [Status; 6] = [
    Status::Exited,
    Status::WaitingApproval,
    Status::Running,
    Status::Waiting,
    Status::Idle,
    Status::Unknown,
];

/// What to wait for.
struct Wanted {
    /// The sessions; empty for any.
    ids: HashSet<SessionId>,
    statuses: Vec<Status>,
}

/// Waits until a session has the wanted status, or the time is up.
#[utoipa::path(get, path = "/api/wait", tag = "sessions", params(WaitQuery),
    responses((status = 200, body = WaitReply)))]
pub(super) async fn wait_for_sessions(
    State(app): State<App>,
    Extension(pass): Extension<Pass>,
    Query(query): Query<WaitQuery>,
) -> Result<Json<WaitReply>, ApiError> {
    let seconds = query.timeout.unwrap_or(USUAL);
    if !(0.0..=LONGEST).contains(&seconds) {
        return Err(ApiError::usage("a timeout is between 0 and 600 seconds"));
    }
    let statuses = statuses(query.statuses.as_deref().unwrap_or("waiting,waiting_approval"))?;
    // The time starts with the request: resolving a session may take a while, too.
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let (_place, feed) = app.follow()?;
    let ids = app.ask(move |handle| {
        let words = query.ids.as_deref().unwrap_or_default().split(',').filter(|it| !it.is_empty());
        let find = |word: &str| Ok(resolve(handle.settings(), &meant(handle, word, "")?)?.id);
        words.map(find).collect::<Result<HashSet<_>, taffrail_daemon::DaemonError>>()
    });
    let wanted = Wanted { ids: ids.await?, statuses };
    let came = tokio::select! {
        came = tokio::time::timeout_at(end, comes(&app, feed, &wanted)) => came,
        () = pass.ended(&app) => return Err(ApiError::no_token()),
    };
    let session = match came {
        // The timeout expired.
        Err(_) => None,
        Ok(None) => return Err(ApiError::ending()),
        Ok(Some(id)) => {
            Some(app.ask(move |handle| found(handle, &Target::Id(id.to_string()))).await?)
        }
    };
    let timed_out = session.is_none();
    Ok(Json(WaitReply { schema_version: SCHEMA_VERSION, timed_out, session }))
}

fn statuses(text: &str) -> Result<Vec<Status>, ApiError> {
    let known = |word: &str| WORDS.into_iter().find(|it| it.as_str() == word.trim());
    let names = WORDS.map(Status::as_str).join(", ");
    let unknown = |word: &str| format!("unknown status `{word}`; choose {names}");
    let read = |word| known(word).ok_or_else(|| ApiError::usage(unknown(word)));
    text.split(',').map(read).collect()
}

/// The first session with a wanted status; `None` when the daemon ends.
async fn comes(app: &App, mut feed: Receiver<Batch>, wanted: &Wanted) -> Option<SessionId> {
    loop {
        if let Some(id) = wanted.standing(app.handle()) {
            return Some(id);
        }
        loop {
            match feed.recv().await {
                Ok(batch) => match wanted.among(&batch) {
                    Among::One(session) => return Some(session),
                    Among::Gap => break,
                    Among::None => {}
                },
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

/// What a batch contains.
enum Among {
    /// A wanted session.
    One(SessionId),
    /// Updates were missed.
    Gap,
    /// Nothing wanted.
    None,
}

impl Wanted {
    fn among(&self, batch: &[Frame]) -> Among {
        for frame in batch {
            match frame {
                Frame::Status(it) if it.is_new && self.fits(it.session, it.status) => {
                    return Among::One(it.session);
                }
                Frame::Read | Frame::Gap => return Among::Gap,
                Frame::Status(_)
                | Frame::Event(_)
                | Frame::Approval(_)
                | Frame::Finding(_)
                | Frame::Reading(_) => {}
            }
        }
        Among::None
    }

    fn fits(&self, id: SessionId, status: Status) -> bool {
        (self.ids.is_empty() || self.ids.contains(&id)) && self.statuses.contains(&status)
    }

    /// A session that already has a wanted status. A named session without a live status is over.
    fn standing(&self, handle: &Handle) -> Option<SessionId> {
        let now = |id: &SessionId| {
            handle.live().status(*id).map_or(Status::Exited, |it| it.reading.status)
        };
        if self.ids.is_empty() {
            let cards = handle.live().statuses();
            let mut fit = cards.iter().filter(|(id, it)| self.fits(**id, it.reading.status));
            return fit.next().map(|(id, _)| *id);
        }
        self.ids.iter().copied().find(|id| self.fits(*id, now(id)))
    }
}
