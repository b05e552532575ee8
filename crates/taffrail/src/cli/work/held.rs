//! The sessions that work for a feature.

use taffrail_api::Session;
use taffrail_api::client::Client;
use taffrail_config::Config;
use taffrail_env::Env;
use taffrail_query::bindings::sessions_of_feature;
use taffrail_workspace::Held;

/// The sessions that work for a feature. Where no index can be read, none are known.
pub(super) fn sessions(held: &Held, env: &Env) -> Vec<Session> {
    let config = Config::read(&env.config_path()).unwrap_or_default();
    let found = sessions_of_feature(&env.settings(&config), held.directory.project(), &held.id);
    let found = found.unwrap_or_default();
    let Ok(client) = Client::connect(&env.state_folder()) else { return found };
    // A daemon also knows where sessions run; a session it does not know stays as found.
    let known = |it: Session| client.get(&format!("/api/sessions/{}", it.id)).unwrap_or(it);
    found.into_iter().map(known).collect()
}
