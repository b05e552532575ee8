//! Images of transcripts, for our own pages.
//!
//! An agent may have written anything and called it an image. The type of a response is that of its
//! bytes, one of four that browsers only draw, and never what the record claims. SVG is not one of
//! them: it is a document that may hold scripts.

use super::api_error::ApiError;
use super::app::App;
use super::subscribe::meant;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use taffrail_query::{ImageBytes, image};

/// Even opened as a page of its own, an image can load and run nothing.
const CSP: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

/// An image of an event by its number, from 0: PNG, JPEG, GIF or WebP of at most 16 MiB. Other bytes are
/// refused, whatever type they claim.
#[utoipa::path(get, path = "/api/sessions/{id}/events/{event}/images/{number}", tag = "history",
    params(("id" = String, Path), ("event" = String, Path), ("number" = usize, Path)),
    responses((status = 200, body = Vec<u8>, content_type = "image/png")))]
pub(super) async fn get_image(
    State(app): State<App>,
    Path((id, event, number)): Path<(String, String, usize)>,
) -> Result<Response, ApiError> {
    let found = app.ask(move |handle| {
        Ok(image(handle.settings(), &meant(handle, &id, "")?, (&event, number))?)
    });
    match found.await? {
        ImageBytes::Bytes(bytes) => drawn(bytes),
        ImageBytes::TooLong => {
            Err(ApiError::of_image(StatusCode::PAYLOAD_TOO_LARGE, "the image has more than 16 MiB"))
        }
        ImageBytes::Nothing => Err(ApiError::not_found("the event has no such image".to_owned())),
    }
}

fn drawn(bytes: Vec<u8>) -> Result<Response, ApiError> {
    let kind = kind_of(&bytes).ok_or_else(|| {
        let message = "its bytes are no PNG, JPEG, GIF or WebP";
        ApiError::of_image(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
    })?;
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, CSP),
        (header::CONTENT_DISPOSITION, "inline"),
    ];
    Ok((headers, bytes).into_response())
}

/// The type of an image by the first bytes that every file of the type has.
fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::kind_of;

    #[test]
    fn what_calls_itself_an_image_and_is_a_page_or_a_drawing_is_none() {
        for bytes in [
            &b"<html><script>alert(1)</script>"[..],
            b"<svg xmlns='http://www.w3.org/2000/svg'>",
            b"<?xml version='1.0'?><svg/>",
            b"%PDF-1.7",
            b" \x89PNG\r\n\x1a\n",
            b"\x89PNG",
            b"RIFF\0\0\0\0WAVE",
            b"BM",
            b"",
        ] {
            assert_eq!(kind_of(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn the_four_types_are_known_by_their_first_bytes() {
        assert_eq!(kind_of(b"\x89PNG\r\n\x1a\n\0"), Some("image/png"));
        assert_eq!(kind_of(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(kind_of(b"GIF89a\x01"), Some("image/gif"));
        assert_eq!(kind_of(b"RIFF\x24\0\0\0WEBPVP8 "), Some("image/webp"));
    }
}
