//! A recovery key behind a passphrase: an age file of the scrypt kind.

use crate::header::WholeHeader;
use age::secrecy::SecretString;
use std::io::{Read, Write};
use zeroize::Zeroizing;

/// 2^18 rounds: about a second and 256 MiB for every guess.
const WORK_FACTOR: u8 = 18;
/// The highest accepted work factor, so that a hostile file cannot keep us busy for hours.
const MOST_WORK: u8 = 20;
const MOST_BYTES: usize = 4096;

/// Why a file behind a passphrase cannot be opened or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PassphraseFault {
    /// The passphrase is wrong, or the file was changed.
    #[error("the passphrase does not open it")]
    Wrong,
    /// It requires an unreasonable amount of work.
    #[error("it asks for more work than is allowed")]
    TooMuchWork,
    /// It is something else, or truncated.
    #[error("this is not an identity behind a passphrase")]
    NotAnIdentity,
}

/// Seals a text in an age file that only the passphrase opens.
///
/// # Errors
///
/// The file could not be written.
pub fn seal_with_passphrase(
    text: &str,
    passphrase: Zeroizing<String>,
) -> Result<Vec<u8>, PassphraseFault> {
    seal_with(text, passphrase, WORK_FACTOR)
}

fn seal_with(
    text: &str,
    passphrase: Zeroizing<String>,
    work: u8,
) -> Result<Vec<u8>, PassphraseFault> {
    let not = |_| PassphraseFault::NotAnIdentity;
    let mut recipient = age::scrypt::Recipient::new(secret(passphrase));
    recipient.set_work_factor(work);
    let recipients = std::iter::once(&recipient as &dyn age::Recipient);
    let sealer = age::Encryptor::with_recipients(recipients);
    let sealer = sealer.map_err(|_| PassphraseFault::NotAnIdentity)?;
    let mut out = Vec::new();
    let mut writer = sealer.wrap_output(&mut out).map_err(not)?;
    writer.write_all(text.as_bytes()).map_err(not)?;
    writer.finish().map_err(not)?;
    Ok(out)
}

/// Opens the text in an age file with a passphrase.
///
/// # Errors
///
/// Returns whether the passphrase or the file is wrong.
pub fn open_with_passphrase(
    file: &[u8],
    passphrase: Zeroizing<String>,
) -> Result<Zeroizing<String>, PassphraseFault> {
    let opener = age::Decryptor::new_buffered(WholeHeader::new(file));
    let opener = opener.map_err(|_| PassphraseFault::NotAnIdentity)?;
    if !opener.is_scrypt() {
        return Err(PassphraseFault::NotAnIdentity);
    }
    let mut key = age::scrypt::Identity::new(secret(passphrase));
    key.set_max_work_factor(MOST_WORK);
    let opened =
        opener.decrypt(std::iter::once(&key as &dyn age::Identity)).map_err(
            |fault| match fault {
                age::DecryptError::ExcessiveWork { .. } => PassphraseFault::TooMuchWork,
                _ => PassphraseFault::Wrong,
            },
        )?;
    let mut text = Zeroizing::new(String::with_capacity(MOST_BYTES));
    let read = opened.take(MOST_BYTES as u64).read_to_string(&mut text);
    read.map_err(|_| PassphraseFault::Wrong)?;
    Ok(text)
}

fn secret(mut passphrase: Zeroizing<String>) -> SecretString {
    SecretString::from(std::mem::take(&mut *passphrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passphrase_opens_what_it_closed_and_nothing_else_does() {
        let words = |text: &str| Zeroizing::new(text.to_owned());
        let file = seal_with("the key", words("correct horse"), 4).unwrap();
        let check = |file: &[u8], with: &str, expected: Result<&str, PassphraseFault>| {
            let got = open_with_passphrase(file, words(with));
            assert_eq!(got, expected.map(words), "{with}");
        };
        check(&file, "correct horse", Ok("the key"));
        check(&file, "correct house", Err(PassphraseFault::Wrong));
        check(b"", "", Err(PassphraseFault::NotAnIdentity));
        let mut changed = file.clone();
        *changed.last_mut().unwrap() ^= 1;
        check(&changed, "correct horse", Err(PassphraseFault::Wrong));
        let text = String::from_utf8_lossy(&file);
        let greedy = text.replacen(" 4\n", " 21\n", 1).into_bytes();
        let header: usize = greedy.windows(3).position(|w| w == b"---").unwrap();
        let mut hostile = greedy[..header].to_vec();
        let at = file.windows(3).position(|w| w == b"---").unwrap();
        hostile.extend_from_slice(&file[at..]);
        check(&hostile, "correct horse", Err(PassphraseFault::TooMuchWork));
    }
}
