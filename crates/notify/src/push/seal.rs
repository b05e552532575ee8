//! Seals a message for one browser: RFC 8291, with the content coding `aes128gcm` of RFC 8188.

use super::PushError;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom, SystemRandom};

/// The size of the one record, which the longest message fits in.
const RECORD: u32 = 4096;
/// Messages are padded to a multiple of this, so that their length says little.
const BLOCK: usize = 512;
/// The length of an authentication secret and of a salt.
const SECRET: usize = 16;

/// The public halves of both sides, and the secret that the browser gave us.
struct Parties<'a> {
    browser: &'a [u8],
    sender: &'a [u8],
    auth: &'a [u8],
}

/// Seals a message for the browser with this public key and this secret.
pub(crate) fn seal(browser: &[u8], auth: &[u8], message: &[u8]) -> Result<Vec<u8>, PushError> {
    if auth.len() != SECRET {
        return Err(PushError::Keys);
    }
    sealed(browser, auth, message).map_err(|_| PushError::Keys)
}

fn sealed(browser: &[u8], auth: &[u8], message: &[u8]) -> Result<Vec<u8>, Unspecified> {
    let random = SystemRandom::new();
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let sender = own.compute_public_key()?;
    let mut salt = [0; SECRET];
    random.fill(&mut salt)?;
    let padding = BLOCK - message.len() % BLOCK;
    let peer = UnparsedPublicKey::new(&ECDH_P256, browser);
    let parties = Parties { browser, sender: sender.as_ref(), auth };
    agree_ephemeral(own, &peer, |shared| record(shared, &parties, &salt, (message, padding)))?
}

/// The body of a message: its header and its one record.
fn record(
    shared: &[u8],
    parties: &Parties<'_>,
    salt: &[u8],
    (message, padding): (&[u8], usize),
) -> Result<Vec<u8>, Unspecified> {
    let first = Salt::new(HKDF_SHA256, parties.auth).extract(shared);
    let whom = [&b"WebPush: info\0"[..], parties.browser, parties.sender];
    let input: [u8; 32] = expand(&first, &whom)?;
    let second = Salt::new(HKDF_SHA256, salt).extract(&input);
    let key: [u8; 16] = expand(&second, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; 12] = expand(&second, &[b"Content-Encoding: nonce\0"])?;
    let mut text = message.to_vec();
    // The mark of the last record; what follows is padding.
    text.push(2);
    text.resize(text.len() + padding, 0);
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce, Aad::empty(), &mut text)?;
    let length = u8::try_from(parties.sender.len()).map_err(|_| Unspecified)?;
    let size = RECORD.to_be_bytes();
    Ok([salt, &size[..], &[length], parties.sender, &text].concat())
}

/// The length of a key to derive.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(from: &Prk, purpose: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    let mut out = [0; N];
    from.expand(purpose, Length(N))?.fill(&mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

    /// The example of RFC 8291, with the values of its appendix A. The secret that both sides agree
    /// on is one of them: `ring` makes no key of chosen bytes.
    #[test]
    fn the_example_of_the_standard_is_sealed_to_the_byte() {
        let bytes = |text: &str| BASE64.decode(text).unwrap();
        let browser = bytes(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        );
        let sender = bytes(
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
        );
        let auth = bytes("BTBZMqHH6r4Tts7J_aSIgg");
        let shared = bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw");
        let message = b"When I grow up, I want to be a watermelon";
        let parties = Parties { browser: &browser, sender: &sender, auth: &auth };
        let sealed = record(&shared, &parties, &salt, (message, 0)).unwrap();
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIg\
            Dll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXL\
            WyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(BASE64.encode(sealed), expected);
    }

    /// What the browser does with a message.
    fn opened(own: EphemeralPrivateKey, public: &[u8], auth: &[u8], body: &[u8]) -> Vec<u8> {
        let (salt, rest) = body.split_at(16);
        let (sender, text) = rest[5..].split_at(65);
        let peer = UnparsedPublicKey::new(&ECDH_P256, sender);
        let parties = Parties { browser: public, sender, auth };
        let mut text = text.to_vec();
        agree_ephemeral(own, &peer, |shared| {
            let first = Salt::new(HKDF_SHA256, parties.auth).extract(shared);
            let whom = [&b"WebPush: info\0"[..], parties.browser, parties.sender];
            let input: [u8; 32] = expand(&first, &whom).unwrap();
            let second = Salt::new(HKDF_SHA256, salt).extract(&input);
            let key: [u8; 16] = expand(&second, &[b"Content-Encoding: aes128gcm\0"]).unwrap();
            let nonce: [u8; 12] = expand(&second, &[b"Content-Encoding: nonce\0"]).unwrap();
            let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
            let nonce = Nonce::assume_unique_for_key(nonce);
            key.open_in_place(nonce, Aad::empty(), &mut text).unwrap().to_vec()
        })
        .unwrap()
    }

    #[test]
    fn only_the_browser_it_is_for_reads_it_and_its_length_says_little() {
        let random = SystemRandom::new();
        let auth = [7; 16];
        let check = |message: &str, size: usize| {
            let own = EphemeralPrivateKey::generate(&ECDH_P256, &random).unwrap();
            let public = own.compute_public_key().unwrap();
            let sealed = seal(public.as_ref(), &auth, message.as_bytes()).unwrap();
            assert_eq!(sealed.len(), size);
            let text = opened(own, public.as_ref(), &auth, &sealed);
            let (said, rest) = text.split_at(message.len());
            assert_eq!(said, message.as_bytes());
            assert_eq!(rest[0], 2);
            assert!(rest[1..].iter().all(|it| *it == 0));
        };
        check("", 86 + 512 + 17);
        check("api waits for you", 86 + 512 + 17);
        check(&"é".repeat(300), 86 + 1024 + 17);
    }

    #[test]
    fn keys_that_are_not_of_a_browser_are_refused() {
        let point = [4; 65];
        for (public, auth) in
            [(&point[..], &[0; 16][..]), (&[], &[0; 16]), (&point[..64], &[0; 16])]
        {
            assert!(matches!(seal(public, auth, b"x"), Err(PushError::Keys)));
        }
        let random = SystemRandom::new();
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &random).unwrap();
        let public = own.compute_public_key().unwrap();
        assert!(matches!(seal(public.as_ref(), &[0; 15], b"x"), Err(PushError::Keys)));
    }
}
