//! The names of attributes, as the GenAI conventions of OpenTelemetry have them on 2026-11-16.
//!
//! The conventions are in development and have no release to depend on: a name that changes there
//! changes here, with the date above.

pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const AGENT_NAME: &str = "gen_ai.agent.name";
pub(super) const AGENT_VERSION: &str = "gen_ai.agent.version";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(super) const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// All input tokens, cached ones included.
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const CACHE_READ_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(super) const CACHE_WRITE_TOKENS: &str = "gen_ai.usage.cache_creation.input_tokens";
pub(super) const REASONING_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";
pub(super) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(super) const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
pub(super) const ERROR_TYPE: &str = "error.type";

// What was said: sent only where the user asks for it.
pub(super) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(super) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub(super) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(super) const TOOL_RESULT: &str = "gen_ai.tool.call.result";

// The operations.
pub(super) const INVOKE_AGENT: &str = "invoke_agent";
pub(super) const CHAT: &str = "chat";
pub(super) const EXECUTE_TOOL: &str = "execute_tool";

/// The type of an error that has no name of its own.
pub(super) const OTHER_ERROR: &str = "_OTHER";

/// How the conventions call who sells a model, by the beginning of the model's name. A name that
/// begins with a seller (`azure/...`) is in the second table.
pub(super) const MAKERS: [(&str, &str); 14] = [
    ("claude", "anthropic"),
    ("gpt", "openai"),
    ("chatgpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("codex", "openai"),
    ("gemini", "gcp.gemini"),
    ("mistral", "mistral_ai"),
    ("codestral", "mistral_ai"),
    ("devstral", "mistral_ai"),
    ("grok", "x_ai"),
    ("deepseek", "deepseek"),
    ("command", "cohere"),
];

pub(super) const SELLERS: [(&str, &str); 17] = [
    ("anthropic", "anthropic"),
    ("openai", "openai"),
    ("google", "gcp.gemini"),
    ("gemini", "gcp.gemini"),
    ("vertex_ai", "gcp.vertex_ai"),
    ("bedrock", "aws.bedrock"),
    ("azure", "azure.ai.openai"),
    ("mistral", "mistral_ai"),
    ("mistralai", "mistral_ai"),
    ("x-ai", "x_ai"),
    ("xai", "x_ai"),
    ("deepseek", "deepseek"),
    ("groq", "groq"),
    ("cohere", "cohere"),
    ("perplexity", "perplexity"),
    ("watsonx", "ibm.watsonx.ai"),
    ("moonshotai", "moonshot_ai"),
];

/// Who answers for a model; `None` if its name does not say so.
pub(super) fn provider(model: &str) -> Option<&'static str> {
    let model = model.to_lowercase();
    if let Some((seller, _)) = model.split_once('/') {
        return SELLERS.iter().find(|(name, _)| *name == seller).map(|(_, it)| *it);
    }
    let is_whole = |rest: &str| !rest.starts_with(|it: char| it.is_ascii_alphabetic());
    let begins = |name: &str| model.strip_prefix(name).is_some_and(is_whole);
    MAKERS.iter().find(|(name, _)| begins(name)).map(|(_, it)| *it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_known_by_the_name_of_its_model_or_not_at_all() {
        let check = |model: &str, expected: Option<&str>| assert_eq!(provider(model), expected);
        check("claude-sonnet-5-5", Some("anthropic"));
        check("Claude-X-1", Some("anthropic"));
        check("gpt-6", Some("openai"));
        check("o3", Some("openai"));
        check("gemini-4-pro", Some("gcp.gemini"));
        check("azure/gpt-6", Some("azure.ai.openai"));
        check("openrouter/anthropic/claude-x", None);
        check("gptme-1", None);
        check("fake-model", None);
        check("", None);
    }
}
