//! Images of events, read from their sources when a page shows them.

use crate::resolve::resolve;
use crate::window::row_of;
use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use taffrail_context::{Error, Settings, Target};
use taffrail_ingest::{reference, sources};
use taffrail_store::IndexReader;

/// The most bytes of an image.
const MOST: usize = 16 * 1024 * 1024;
/// Padding is optional: agents write both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What an event has under the number of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageBytes {
    /// Bytes of which nothing is known.
    Bytes(Vec<u8>),
    /// More bytes than anybody should be sent.
    TooLong,
    /// No image, or nothing that can be decoded.
    Nothing,
}

/// An image of an event by its number, from 0.
///
/// # Errors
/// When the session has no such event, its record cannot be read back, or the index cannot be read.
pub fn image(
    settings: &Settings,
    target: &Target,
    (event, number): (&str, usize),
) -> Result<ImageBytes, Error> {
    let session = resolve(settings, target)?;
    let reader = IndexReader::open(&settings.data)?;
    let reader = reader.ok_or_else(|| Error::NoEvent(event.to_owned()))?;
    let row = row_of(&reader, &session, event)?;
    let found = sources(settings).image(&reference(&session.agent, &row), number);
    let found = found.map_err(|error| Error::File(format!("cannot read the image: {error}")))?;
    Ok(found.map_or(ImageBytes::Nothing, |it| decoded(&it.base64)))
}

fn decoded(base64: &str) -> ImageBytes {
    if base64.len() / 4 * 3 > MOST {
        return ImageBytes::TooLong;
    }
    BASE64.decode(base64).map_or(ImageBytes::Nothing, ImageBytes::Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_decoded_unless_it_is_too_long() {
        let check = |text: &str, expected| assert_eq!(decoded(text), expected);
        check("AAEC", ImageBytes::Bytes(vec![0, 1, 2]));
        check("AAE=", ImageBytes::Bytes(vec![0, 1]));
        check("AAE", ImageBytes::Bytes(vec![0, 1]));
        check("<svg>", ImageBytes::Nothing);
        check(&"A".repeat(MOST * 4 / 3 + 8), ImageBytes::TooLong);
    }
}
