//! Parses requests strictly: an unknown field is an error.

use super::api_error::ApiError;
use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Query as AxumQuery, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

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
