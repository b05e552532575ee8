//! The OpenAPI description of all routes, generated from their types.

use super::routes::{ROUTES, plain};
use axum::Json;
use taffrail_api::Envelope;
use utoipa::OpenApi as _;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{OpenApi, PathItem, Ref, RefOr, path::Operation};

/// Routes that the binding contract names without `/api`.
pub(super) const PLAIN: [&str; 10] = [
    "/api/sessions/{id}/timeline",
    "/api/sessions/{id}/transcript",
    "/api/sessions/{id}/binding",
    "/api/peers",
    "/api/peers/{name}/timeline",
    "/api/peers/{name}/transcript",
    "/api/sessions/{id}/controls/resume",
    "/api/sessions/{id}/controls/notify",
    "/api/peers/{name}/controls/notify",
    "/api/peers/{name}/controls/resume",
];

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Taffrail",
        description = "What every coding-agent session on this machine does."
    ),
    components(schemas(Envelope, taffrail_api::StreamBegin, taffrail_api::FindingMessage))
)]
struct Described;

/// This description.
pub(super) fn description() -> OpenApi {
    let mut openapi = Described::openapi();
    for (schemas, described, _) in ROUTES.iter().map(|route| route()) {
        openapi.components.get_or_insert_default().schemas.extend(schemas);
        openapi.paths.paths.extend(described.paths.into_iter().flat_map(named));
    }
    openapi.paths.paths.values_mut().flat_map(operations).for_each(add_failure);
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    openapi.components.get_or_insert_default().add_security_scheme("token", bearer);
    openapi.security = Some(vec![SecurityRequirement::new("token", Vec::<String>::new())]);
    openapi
}

/// A path and its alias in the binding contract, with operation ids for generated clients.
fn named((path, mut item): (String, PathItem)) -> Vec<(String, PathItem)> {
    name_operations(&mut item, "");
    let mut alias = item.clone();
    name_operations(&mut alias, "Alias");
    let alias = plain(&path).map(|path| (path, alias));
    [(path, item)].into_iter().chain(alias).collect()
}

fn name_operations(item: &mut PathItem, ending: &str) {
    for operation in operations(item) {
        let id = operation.operation_id.as_deref().unwrap_or_default();
        operation.operation_id = Some(camel_case(id) + ending);
    }
}

/// The name of a handler as clients of other languages write it.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_ascii_uppercase() + rest
    })
}

/// The answer of every route to what it refuses.
fn add_failure(operation: &mut Operation) {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Envelope")));
    let failure = ResponseBuilder::new()
        .description("It was refused, or failed.")
        .content("application/json", content.build());
    let responses = &mut operation.responses.responses;
    responses.insert("default".to_owned(), RefOr::T(failure.build()));
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.delete].into_iter().filter_map(Option::as_mut)
}

/// The description of all routes.
#[utoipa::path(get, path = "/openapi.json", tag = "about",
    responses((status = 200, description = "an OpenAPI 3.1 document")))]
pub(super) async fn get_openapi() -> Json<OpenApi> {
    Json(description())
}
