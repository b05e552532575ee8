//! A daemon in the background.

use crate::Home;

/// A daemon in the background, stopped when this is dropped.
#[derive(Debug)]
pub struct Background<'a>(&'a Home);

impl<'a> Background<'a> {
    /// Starts one, as a user does.
    #[must_use]
    pub fn start(home: &'a Home) -> Self {
        home.ok(&["daemon", "start"]);
        Self(home)
    }

    /// Stops whatever daemon of this home runs in the end.
    #[must_use]
    pub const fn stopped_later(home: &'a Home) -> Self {
        Self(home)
    }
}

impl Drop for Background<'_> {
    fn drop(&mut self) {
        drop(self.0.run(&["daemon", "stop"]));
    }
}
