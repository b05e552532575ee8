//! The table in the repository is the one that the recipe writes, and vectors are those of the recipe.

use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};
use taffrail_meaning::{DIMENSIONS, Vector, vector, vectors};

const TABLE: &[u8] = include_bytes!("../../table/table.bin");
const GOLDEN: &str = include_str!("../../table/golden.json");
const README: &str = include_str!("../../table/README.md");

#[test]
fn the_table_has_the_digest_that_is_documented() {
    let digest: String = Sha256::digest(TABLE).iter().map(|it| format!("{it:02x}")).collect();
    assert!(README.contains(&digest), "{digest}");
}

/// The bytes of a vector.
fn components(vector: &Vector) -> Vec<i64> {
    let words = vector.to_words();
    let bytes = words.iter().flat_map(|it| it.to_be_bytes());
    bytes.map(|it| i64::from(it.cast_signed())).collect()
}

#[test]
fn vectors_are_those_of_the_recipe() {
    for case in serde_json::from_str::<Vec<Value>>(GOLDEN).unwrap() {
        let text = case["text"].as_str().unwrap();
        let got = vector(text).map(|it| components(&it));
        let expected: Option<Vec<i64>> = serde_json::from_value(case["vector"].clone()).unwrap();
        assert_eq!(got.is_some(), expected.is_some(), "{text}");
        let pairs = got.into_iter().flatten().zip(expected.into_iter().flatten());
        // The recipe adds in double precision: a component may fall on the other side of a half.
        let apart: Vec<i64> = pairs.map(|(got, expected)| (got - expected).abs()).collect();
        assert!(apart.iter().all(|it| *it <= 1), "{text}: {apart:?}");
        assert!(apart.iter().sum::<i64>() <= 3, "{text}: {apart:?}");
    }
}

#[test]
fn other_words_for_the_same_are_nearer_than_something_else() {
    let likeness = |a: &str, b: &str| vector(a).unwrap().likeness(&vector(b).unwrap());
    let check = |question: &str, near: &str, far: &str| {
        let (near, far) = (likeness(question, near), likeness(question, far));
        assert!(near > far + 0.1, "{question}: {near} {far}");
    };
    check("login credentials", "sign in with a password", "we sailed to the island");
    check("RAM usage grows", "memory leak", "colour of the button");
    check("customers paid double", "clients were charged twice", "the linker fails on musl");
}

proptest! {
    #[test]
    fn a_text_is_most_like_itself_and_order_does_not_matter(
        words in proptest::collection::vec("[a-z]{2,10}", 1..20),
    ) {
        let text = words.join(" ");
        let mut turned = words;
        turned.reverse();
        if let (Some(one), Some(other)) = (vector(&text), vector(&turned.join(" "))) {
            prop_assert!(one.likeness(&one) > 0.97);
            prop_assert!(one.likeness(&other) > 0.97);
        }
    }

    #[test]
    fn any_text_has_vectors_of_length_one_or_none(text in "\\PC{0,2000}") {
        for vector in vectors(&text) {
            let length: i64 = components(&vector).iter().map(|it| it * it).sum();
            prop_assert_eq!(components(&vector).len(), DIMENSIONS);
            prop_assert!((15_000..=17_300).contains(&length), "{}", length);
        }
    }
}
