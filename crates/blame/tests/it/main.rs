//! What is promised of attributions: never a wrong one, and most of the right ones.

mod cases;
mod records;
mod world;
