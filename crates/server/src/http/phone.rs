//! One-time links: a small page that shows a request, and one button. Opening a link changes
//! nothing, because chats and mail programs open links by themselves; pressing the button does.

use super::app::App;
use super::auth::Door;
use super::rights::note;
use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::{Router, routing::get};
use std::sync::Arc;
use taffrail_approvals::Attempt;
use taffrail_daemon::phone::{answer_link, shown_request};
use taffrail_model::approval::ApprovalId;
use taffrail_model::caller::{Caller, Who};
use taffrail_notify::{Link, LinkAction, LinkError};

/// The page may send its one form to us, and nothing else may be done with it.
const CSP: &str = "default-src 'none'; style-src 'self'; form-action 'self'; \
    frame-ancestors 'none'; base-uri 'none'";

/// The parts of a link: its action, its request and its token.
type Parts = (String, String, String);

/// The routes of the links.
pub(super) fn links(app: &App) -> Router {
    Router::new()
        .route("/phone/{action}/{id}/{token}", get(shown).post(pressed))
        .with_state(app.clone())
}

/// Shows what a link is for. Nothing is used up.
async fn shown(State(app): State<App>, Path(parts): Path<Parts>) -> Response {
    let link = match look(&app, &parts) {
        Ok(link) => link,
        Err(why) => return refused(why),
    };
    let action = link.action;
    let found = app.ask(move |handle| Ok(shown_request(handle.broker(), &link.approval))).await;
    match found {
        Ok(Some(request)) => page(StatusCode::OK, &question(action, &request)),
        Ok(None) => said(StatusCode::GONE, "This request is no longer open."),
        Err(_) => said(StatusCode::INTERNAL_SERVER_ERROR, "The request cannot be read."),
    }
}

/// Does what a link is for, once.
async fn pressed(
    State(app): State<App>,
    Extension(door): Extension<Arc<Door>>,
    Path(parts): Path<Parts>,
    request: Request,
) -> Response {
    if let Err(fault) = door.check_origin(request.headers()) {
        return fault.into_response();
    }
    let link = match take(&app, &parts) {
        Ok(link) => link,
        Err(why) => {
            note(&app, attempt(&parts, &why.to_string())).await;
            return refused(why);
        }
    };
    if link.action == LinkAction::Open {
        let to = format!("/approvals?request={}", link.approval);
        return (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    }
    match app.ask_apart(move |handle| Ok(answer_link(handle.live(), handle.broker(), &link))).await
    {
        Ok(Ok(done)) => said(StatusCode::OK, &done),
        Ok(Err(why)) => {
            note(&app, attempt(&parts, &why)).await;
            said(StatusCode::CONFLICT, &why)
        }
        Err(fault) => fault.into_response(),
    }
}

fn look(app: &App, (action, id, token): &Parts) -> Result<Link, LinkError> {
    let links = app.handle().links().ok_or(LinkError::Unknown)?;
    let action: LinkAction = action.parse()?;
    let link = links.look(token, (app.handle().settings().now)())?;
    match link.action == action && link.approval.as_str() == id {
        true => Ok(link),
        false => Err(LinkError::Other),
    }
}

fn take(app: &App, (action, id, token): &Parts) -> Result<Link, LinkError> {
    let links = app.handle().links().ok_or(LinkError::Unknown)?;
    links.take(token, Some((id, action.parse()?)), (app.handle().settings().now)())
}

/// A press that was refused, for the log of decisions.
fn attempt((action, id, _): &Parts, why: &str) -> Attempt {
    let what = match action.parse::<LinkAction>() {
        Ok(it) => format!("phone link {}", it.as_str()),
        Err(_) => "phone link".to_owned(),
    };
    let is_id = id.len() <= 64 && id.bytes().all(|it| it.is_ascii_alphanumeric());
    let approval = is_id.then(|| ApprovalId::new(id.clone()));
    let who = Who::elsewhere(Caller::Unknown, "phone link", why);
    Attempt { what, approval, session: None, who }
}

fn refused(why: LinkError) -> Response {
    let status = match why {
        LinkError::Unknown => StatusCode::NOT_FOUND,
        LinkError::Used | LinkError::Expired => StatusCode::GONE,
        LinkError::Other => StatusCode::FORBIDDEN,
    };
    said(status, &sentence(&why.to_string()))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

fn said(status: StatusCode, text: &str) -> Response {
    page(status, &format!("<h1>{}</h1><p>You can close this page.</p>", escaped(text)))
}

/// The request, and the one button.
fn question(action: LinkAction, (title, text): &(String, String)) -> String {
    let (heading, button) = match action {
        LinkAction::Allow => ("Allow this?", "Allow"),
        LinkAction::Deny => ("Deny this?", "Deny"),
        LinkAction::Open => ("A request waits", "Open in Taffrail"),
    };
    let (title, text) = (escaped(title), escaped(text));
    format!(
        "<h1>{heading}</h1><p>{title}</p><pre>{text}</pre>\
         <form method=\"post\"><button>{button}</button></form>"
    )
}

fn page(status: StatusCode, inside: &str) -> Response {
    let text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><title>Taffrail</title>\
         <link rel=\"stylesheet\" href=\"/door.css\"></head><body><main>\
         <p class=\"name\">taffrail</p>{inside}</main></body></html>"
    );
    // With `no-referrer` a browser would not say that the form comes from us.
    let headers: [(HeaderName, &str); 2] =
        [(header::CONTENT_SECURITY_POLICY, CSP), (header::REFERRER_POLICY, "same-origin")];
    (status, headers, Html(text)).into_response()
}

/// Text as text, whatever it holds.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, it| {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(it),
        }
        out
    })
}
