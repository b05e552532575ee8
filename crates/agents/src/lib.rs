//! One folder per coding agent that the kit describes: where its history lives, and how a record
//! becomes events.
//!
//! Adding an agent touches one folder and one word in the list below.

mod dialects;

use taffrail_kit::Adapter;

macro_rules! agents {
    ($($name:ident),+ $(,)?) => { agents! { @define ($) $($name),+ } };
    (@define ($dollar:tt) $($name:ident),+) => {
        $(pub mod $name;)+

        /// Each agent with its folder below `crates`, in the order they were added.
        pub const AGENTS: &[(&str, &dyn Adapter)] =
            &[$((concat!("agents/src/", stringify!($name)), &$name::ADAPTER)),+];

        /// Calls a macro with the names of all agents, so that a suite has one test for each.
        #[macro_export]
        macro_rules! for_each_agent {
            ($dollar each:ident) => { $dollar each! { $($name),+ } };
        }
    };
}

agents! {
    pi, copilot_cli, qwen_code, qoder, kimi_code, kimi_cli, factory_droid, gptme, iflow, codebuff, command_code, amazon_q, crush, cursor, cursor_cli, devin_cli, forge, hermes, kilo, mimo_code, opencode, warp, zed, antigravity, letta_code, oh_my_pi, vscode_copilot_chat, junie, kiro_cli, kiro_ide, windsurf, amp, auggie, zencoder, poolside, mux, openclaw, posit_assistant, grok_build, cline, cline_extension, roo_code, zoo_code, kilo_legacy, ibm_bob, continue_dev, mistral_vibe, openhands, mini_swe_agent, aider, swe_agent, zcode
}
