//! Parses requests strictly: an unknown field is an error.

use super::api_error::ApiError;
use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Query as AxumQuery, Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn, Paths};

/// The size limit of a body.
pub(super) const BODY: usize = 1024 * 1024;

/// The parameters of a request.
pub(super) struct Query<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = AxumQuery::<T>::from_request_parts(parts, state).await;
        query.map(|it| Self(it.0)).map_err(|error| ApiError::usage(error.body_text()))
    }
}

/// The methods of a route whose handlers read no parameters, by its description.
pub(super) fn without_parameters(described: &Paths) -> Vec<Method> {
    let is_query =
        |it: &RefOr<Parameter>| matches!(it, RefOr::T(it) if it.parameter_in == ParameterIn::Query);
    let is_bare = |it: &Operation| !it.parameters.iter().flatten().any(is_query);
    let items = described.paths.values();
    let methods = items.flat_map(|it| {
        [(Method::GET, &it.get), (Method::POST, &it.post), (Method::DELETE, &it.delete)]
    });
    let bare = methods.filter(|(_, it)| it.as_ref().is_some_and(is_bare));
    bare.map(|(method, _)| method).collect()
}

/// Refuses parameters that no handler would read; `Query` refuses those that its handler does not
/// know.
pub(super) async fn refuse_parameters(
    State(bare): State<Vec<Method>>,
    request: Request,
    next: Next,
) -> Response {
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let query = request.uri().query().unwrap_or_default();
    match bare.contains(method) && !query.is_empty() {
        true => ApiError::usage("this route takes no parameters").into_response(),
        false => next.run(request).await,
    }
}

/// The body of a request; a missing body is an empty object.
pub(super) struct JsonBody<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let bytes = to_bytes(request.into_body(), BODY).await.map_err(|_| ApiError::too_long())?;
        let bytes = if bytes.is_empty() { b"{}" } else { bytes.as_ref() };
        serde_json::from_slice(bytes).map(Self).map_err(|error| ApiError::usage(error.to_string()))
    }
}
