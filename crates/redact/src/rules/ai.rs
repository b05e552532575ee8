//! Keys of model providers.

use super::super::entropy::{mixed, varied};
use super::super::rule::{Rule, token};

pub(super) const RULES: &[Rule] = &[
    token("anthropic-key", &["sk-ant-"], "sk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{32,}", varied),
    token(
        "openai-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-"],
        "sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32,}",
        varied,
    ),
    token("openai-key", &["T3BlbkFJ"], "sk-[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}", varied),
    token("openrouter-key", &["sk-or-"], "sk-or-(?:v1-)?[a-f0-9]{64}", varied),
    token("model-key", &["sk-"], "sk-(?:[a-f0-9]{32}|[A-Za-z0-9]{48})", mixed),
    token("huggingface-token", &["hf_", "api_org_"], "(?:hf_|api_org_)[A-Za-z0-9]{34}", mixed),
    token("replicate-token", &["r8_"], "r8_[A-Za-z0-9]{37}", mixed),
    token("groq-key", &["gsk_"], "gsk_[A-Za-z0-9]{52}", mixed),
    token("xai-key", &["xai-"], "xai-[A-Za-z0-9]{70,90}", mixed),
    token("perplexity-key", &["pplx-"], "pplx-[A-Za-z0-9]{48,56}", mixed),
    token("langsmith-key", &["lsv2_"], "lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}", varied),
    token("nvidia-key", &["nvapi-"], "nvapi-[A-Za-z0-9_-]{60,70}", mixed),
    token("pinecone-key", &["pcsk_"], "pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{50,70}", mixed),
    token("elevenlabs-key", &["sk_"], "sk_[a-f0-9]{48}", varied),
    token("fireworks-key", &["fw_"], "fw_[A-Za-z0-9]{22,24}", mixed),
    token("cerebras-key", &["csk-"], "csk-[a-z0-9]{48}", mixed),
];
