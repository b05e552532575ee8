//! The OpenAPI description of all routes, generated from their types.

use super::{
    about, activity, approvals, bindings, controls, documents, findings, history, metrics, queue,
    rights, sessions, streams, wait, web_enter, web_settings, websocket, writes,
};
use axum::Json;
use taffrail_api::Envelope;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{OpenApi, PathItem, Ref, RefOr, path::Operation};
use utoipa::{Modify, OpenApi as _};

/// Routes that the binding contract names without `/api`.
pub(super) const PLAIN: [&str; 9] = [
    "/api/sessions/{id}/timeline",
    "/api/sessions/{id}/transcript",
    "/api/sessions/{id}/binding",
    "/api/peers",
    "/api/peers/{name}/timeline",
    "/api/peers/{name}/transcript",
    "/api/sessions/{id}/controls/resume",
    "/api/sessions/{id}/controls/notify",
    "/api/peers/{name}/controls/notify",
];

#[derive(utoipa::OpenApi)]
#[openapi(
    info(title = "Taffrail", description = "What every coding-agent session on this machine does."),
    paths(
        sessions::all, sessions::one, sessions::resolved, sessions::summary, sessions::workers,
        sessions::explain,
        findings::found, wait::wait, streams::statuses, streams::everything, streams::of_session,
        websocket::open, history::changes, history::messages, history::transcript,
        history::timeline, history::happened, about::health, about::find, about::counts,
        about::known_agents, about::kept, about::checks, metrics::metrics, described,
        controls::resume, queue::notify, queue::peer_notified, queue::waiting, queue::added,
        queue::told, queue::taken_back, approvals::approvals_asked, approvals::approvals_log,
        approvals::approval_decided, approvals::desk_asked, rights::attempted,
        documents::snapshot, documents::state, documents::schema,
        bindings::binding, bindings::repaired, bindings::all_peers, bindings::peer_timeline,
        bindings::peer_transcript,
        writes::index, writes::stop, writes::forgotten, writes::captured, writes::prune, writes::verify,
        writes::rebuilt, writes::backed_up, writes::restored, web_enter::opened, web_enter::confirmed,
        activity::activity, web_settings::rules, web_settings::rule_added, web_settings::hooks,
        web_settings::hooks_changed,
    ),
    components(schemas(Envelope, taffrail_api::StreamBegin, taffrail_api::FindingMessage)),
    modifiers(&Whole),
)]
struct Described;

/// What applies to every route.
struct Whole;

impl Modify for Whole {
    fn modify(&self, openapi: &mut OpenApi) {
        for path in PLAIN {
            let plain = path.trim_start_matches("/api");
            if let Some(mut item) = openapi.paths.paths.get(path).cloned() {
                operations(&mut item).for_each(|it| {
                    it.operation_id = it.operation_id.take().map(|id| format!("{id}_plain"));
                });
                openapi.paths.paths.insert(plain.to_owned(), item);
            }
        }
        for item in openapi.paths.paths.values_mut() {
            for operation in operations(item) {
                let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Envelope")));
                let failure = ResponseBuilder::new()
                    .description("It was refused, or failed.")
                    .content("application/json", content.build());
                let responses = &mut operation.responses.responses;
                responses.insert("default".to_owned(), RefOr::T(failure.build()));
            }
        }
        let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        if let Some(components) = &mut openapi.components {
            components.add_security_scheme("token", bearer);
        }
        openapi.security = Some(vec![SecurityRequirement::new("token", Vec::<String>::new())]);
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.delete].into_iter().filter_map(Option::as_mut)
}

/// This description.
pub(super) fn description() -> OpenApi {
    Described::openapi()
}

/// The description of all routes.
#[utoipa::path(get, path = "/openapi.json", tag = "about",
    responses((status = 200, description = "an OpenAPI 3.1 document")))]
pub(super) async fn described() -> Json<OpenApi> {
    Json(description())
}
