//! Our tokenizer for tantivy.

use taffrail_model::search_words::{Span, into_lower, spans};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Passes our words to tantivy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    token: Token,
    found: Vec<Span>,
}

/// The words of one text.
pub(crate) struct WordStream<'a> {
    text: &'a str,
    token: &'a mut Token,
    found: std::slice::Iter<'a, Span>,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        spans(text, &mut self.found);
        WordStream { text, token: &mut self.token, found: self.found.iter() }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(span) = self.found.next() else { return false };
        let word = self.text.get(span.start..span.end).unwrap_or_default();
        into_lower(word, &mut self.token.text);
        self.token.offset_from = span.start;
        self.token.offset_to = span.end;
        self.token.position = span.position;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
