//! What a request says, read strictly: a word that is not known is a mistake.

use super::fault::Fault;
use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// The longest body.
pub(super) const BODY: usize = 1024 * 1024;

/// The parameters of a request.
pub(super) struct Asked<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query.map(|it| Self(it.0)).map_err(|error| Fault::usage(error.body_text()))
    }
}

/// The body of a request; none at all is an empty object.
pub(super) struct Told<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Told<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Self, Fault> {
        let bytes = to_bytes(request.into_body(), BODY).await.map_err(|_| Fault::too_long())?;
        let bytes = if bytes.is_empty() { b"{}" } else { bytes.as_ref() };
        serde_json::from_slice(bytes).map(Self).map_err(|error| Fault::usage(error.to_string()))
    }
}
