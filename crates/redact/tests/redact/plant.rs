//! Made-up secrets of every kind, in the places where they occur.

use crate::chance::Chance;
use crate::typed;

/// Secrets recognized by themselves: the kind, and a template.
pub(crate) const TOKENS: &[(&str, &str)] = &[
    ("anthropic-key", "sk-ant-api03-{{u93}}AA"),
    ("anthropic-key", "sk-ant-oat01-{{u86}}AA"),
    ("openai-key", "sk-proj-{{u74}}T3BlbkFJ{{u74}}"),
    ("openai-key", "sk-{{a20}}T3BlbkFJ{{a20}}"),
    ("openai-key", "sk-svcacct-{{u120}}"),
    ("openrouter-key", "sk-or-v1-{{h64}}"),
    ("model-key", "sk-{{h32}}"),
    ("huggingface-token", "hf_{{a34}}"),
    ("replicate-token", "r8_{{a37}}"),
    ("groq-key", "gsk_{{a52}}"),
    ("xai-key", "xai-{{a80}}"),
    ("perplexity-key", "pplx-{{a48}}"),
    ("langsmith-key", "lsv2_pt_{{h32}}_{{h10}}"),
    ("nvidia-key", "nvapi-{{u64}}"),
    ("pinecone-key", "pcsk_{{a6}}_{{a62}}"),
    ("elevenlabs-key", "sk_{{h48}}"),
    ("fireworks-key", "fw_{{a24}}"),
    ("cerebras-key", "csk-{{l48}}"),
    ("aws-access-key", "AKIA{{B16}}"),
    ("aws-access-key", "ASIA{{B16}}"),
    ("aws-session-token", "IQoJb3JpZ2lu{{b300}}"),
    ("aws-session-token", "FwoGZXIvYXdz{{b260}}=="),
    ("aws-bedrock-key", "ABSK{{b120}}"),
    ("google-api-key", "AIza{{u35}}"),
    ("google-oauth-token", "ya29.{{u140}}"),
    ("google-oauth-secret", "GOCSPX-{{u28}}"),
    ("google-refresh-token", "1//0{{u60}}"),
    ("azure-client-secret", "{{a3}}8Q~{{u34}}"),
    ("azure-devops-token", "{{a76}}AZDO{{a4}}"),
    ("digitalocean-token", "dop_v1_{{h64}}"),
    ("alibaba-key", "LTAI{{a20}}"),
    ("tencent-key", "AKID{{a32}}"),
    ("cloudflare-origin-key", "v1.0-{{h24}}-{{h146}}"),
    ("heroku-key", "HRKU-{{u60}}"),
    ("heroku-key", "HRKU-{{x}}"),
    ("fly-token", "fm2_{{b200}}"),
    ("fly-token", "fo1_{{u43}}"),
    ("vercel-token", "vcp_{{a56}}"),
    ("netlify-token", "nfp_{{a36}}"),
    ("supabase-key", "sbp_{{h40}}"),
    ("supabase-key", "sb_secret_{{u31}}"),
    ("planetscale-token", "pscale_tkn_{{u43}}"),
    ("databricks-token", "dapi{{h32}}"),
    ("doppler-token", "dp.pt.{{a43}}"),
    ("doppler-token", "dp.st.prd.{{a43}}"),
    ("vault-token", "hvs.{{u90}}"),
    ("terraform-token", "{{a14}}.atlasv1.{{a67}}"),
    ("pulumi-token", "pul-{{h40}}"),
    ("tailscale-key", "tskey-auth-{{a17}}-{{a32}}"),
    ("onepassword-token", "ops_eyJ{{b700}}"),
    ("age-key", "AGE-SECRET-KEY-1{{U58}}"),
    ("nkey-seed", "SUA{{B55}}"),
    ("nkey-seed", "SAA{{B55}}"),
    ("nkey-seed", "SOA{{B55}}"),
    ("nkey-seed", "SNA{{B55}}"),
    ("nkey-seed", "SCA{{B55}}"),
    ("nkey-seed", "SXA{{B55}}"),
    ("grafana-token", "glsa_{{a32}}_{{h8}}"),
    ("newrelic-key", "NRAK-{{U27}}"),
    ("sentry-token", "sntrys_{{b120}}"),
    ("sentry-token", "sntryu_{{h64}}"),
    ("dynatrace-token", "dt0c01.{{U24}}.{{U64}}"),
    ("honeycomb-key", "hcaik_{{l26}}{{a32}}"),
    ("github-token", "ghp_{{a36}}"),
    ("github-token", "ghs_{{a36}}"),
    ("github-token", "github_pat_{{a22}}_{{a59}}"),
    ("gitlab-token", "glpat-{{u20}}"),
    ("gitlab-token", "glrt-{{u20}}"),
    ("bitbucket-token", "ATBB{{a32}}"),
    ("atlassian-token", "ATATT3xFfGF0{{u170}}={{U8}}"),
    ("npm-token", "npm_{{a36}}"),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc{{u140}}"),
    ("crates-token", "cio{{a32}}"),
    ("rubygems-key", "rubygems_{{h48}}"),
    ("nuget-key", "oy2{{l43}}"),
    ("docker-token", "dckr_pat_{{u27}}"),
    ("clojars-token", "CLOJARS_{{l60}}"),
    ("artifactory-key", "AKCp{{a69}}"),
    ("jsr-token", "jsrp_{{a48}}"),
    ("buildkite-token", "bkua_{{h40}}"),
    ("circleci-token", "CCIPAT_{{a22}}_{{h40}}"),
    ("slack-token", "xoxb-{{d12}}-{{d13}}-{{a24}}"),
    ("slack-token", "xoxp-{{d12}}-{{d12}}-{{d13}}-{{h32}}"),
    ("slack-token", "xoxc-{{d12}}-{{d12}}-{{d13}}-{{h64}}"),
    ("slack-token", "xoxd-{{a40}}%2B{{a40}}%2F{{a20}}%3D"),
    ("slack-token", "xapp-1-{{U11}}-{{d13}}-{{h64}}"),
    ("slack-webhook", "hooks.slack.com/services/T{{U10}}/B{{U10}}/{{a24}}"),
    ("discord-webhook", "discord.com/api/webhooks/{{d18}}/{{u68}}"),
    ("telegram-token", "{{d10}}:AA{{u33}}"),
    ("teams-webhook", "webhook.office.com/webhookb2/{{x}}@{{x}}/IncomingWebhook/{{h32}}/{{x}}"),
    ("twilio-key", "SK{{h32}}"),
    ("sendgrid-key", "SG.{{u22}}.{{u43}}"),
    ("mailgun-key", "key-{{h32}}"),
    ("mailchimp-key", "{{h32}}-us14"),
    ("brevo-key", "xkeysib-{{h64}}-{{a16}}"),
    ("resend-key", "re_{{a8}}_{{a24}}"),
    ("linear-key", "lin_api_{{a40}}"),
    ("notion-token", "ntn_{{a46}}"),
    ("notion-token", "secret_{{a43}}"),
    ("figma-token", "figd_{{u40}}"),
    ("airtable-token", "pat{{a14}}.{{h64}}"),
    ("postman-key", "PMAK-{{h24}}-{{h34}}"),
    ("typeform-token", "tfp_{{u44}}"),
    ("hubspot-token", "pat-na1-{{x}}"),
    ("stripe-key", "sk_live_{{a24}}"),
    ("stripe-key", "rk_test_{{a99}}"),
    ("stripe-webhook-secret", "whsec_{{a32}}"),
    ("square-token", "sq0atp-{{u22}}"),
    ("braintree-token", "access_token$production${{l16}}${{h32}}"),
    ("razorpay-key", "rzp_live_{{a14}}"),
    ("plaid-token", "access-production-{{x}}"),
    ("flutterwave-key", "FLWSECK-{{h32}}-X"),
    ("shopify-token", "shpat_{{h32}}"),
    ("facebook-token", "EAA{{a180}}"),
    ("twitter-token", "AAAAAAAAAAAAAAAAAAAAA{{a12}}%2B{{a50}}"),
    ("mapbox-token", "sk.eyJ{{u64}}.{{u22}}"),
    ("taffrail-invite", "taffrail-invite-{{u700}}"),
    ("taffrail-invite", "taffrail-invite-{{u3000}}"),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJ{{u120}}.{{u43}}"),
    ("jwt", "eyJ{{u40}}.eyJ{{u900}}.{{u342}}"),
];

/// Places of a secret that is recognized by itself.
pub(crate) const PLACES: &[&str] = &[
    "I pasted @ into the chat, please rotate it.",
    "    let client = Client::new(\"@\");",
    "const it = connect('@', { retries: 3 })",
    "{\"args\":[\"run\",\"@\"],\"cwd\":\"/srv/app\",\"n\":17}",
    "2026-03-01T10:22:11Z WARN upstream said 401 for @ after 12ms",
    "THE_THING=@",
    "export SERVICE_X=\"@\"",
    "\"text\":\"A=1\\n@\\nB=2\"",
    "curl https://@/",
    "- it was `@`.",
    "@",
    "größer (@) → ü",
];

/// Secrets recognized by their names; the secret is between the markers.
const NAMED: &[(&str, &str)] = &[
    (
        "private-key",
        "«-----BEGIN RSA PRIVATE KEY-----\n{{b64}}\n{{b64}}\n{{b40}}==\n-----END RSA PRIVATE KEY-----»\n",
    ),
    (
        "private-key",
        "key: \"«-----BEGIN PRIVATE KEY-----\\n{{b64}}\\n{{b64}}\\n-----END PRIVATE KEY-----»\\n\",",
    ),
    ("private-key", "$ cat id\n«-----BEGIN OPENSSH PRIVATE KEY-----\n{{b70}}\n{{b70}}»\n"),
    (
        "private-key",
        "«-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{{b64}}\n={{b4}}\n-----END PGP PRIVATE KEY BLOCK-----»",
    ),
    ("aws-secret-key", "aws_secret_access_key = «{{b40}}»"),
    ("aws-secret-key", "\"AWS_SECRET_ACCESS_KEY\": \"«{{b40}}»\","),
    (
        "presigned-url",
        "https://b.s3.amazonaws.com/k?X-Amz-Date=20260301T000000Z&X-Amz-Signature=«{{h64}}»",
    ),
    (
        "azure-storage-key",
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«{{b86}}==»;EndpointSuffix=y",
    ),
    ("azure-sas", "https://x.blob.core.windows.net/c/f?sv=2022-11-02&sr=b&sig=«{{a43}}%3D»&se=1"),
    ("registry-auth", "{\"auths\":{\"r.example.net\":{\"auth\":\"«dXNlcjpwYXNzd29yZDE=»\"}}}"),
    ("npm-token", "//registry.example.net/:_authToken=«{{x}}»"),
    ("discord-token", "DISCORD_BOT=«MT{{a22}}.{{u6}}.{{u38}}»"),
    ("url-password", "postgres://app:«{{a16}}»@db.internal:5432/app"),
    ("url-password", "DATABASE_URL=\"mysql://root:«{{n}}»@127.0.0.1/shop\""),
    ("url-password", "redis://:«{{h32}}»@cache:6379/0"),
    ("url-password", "git clone https://x-access-token:«{{a40}}»@git.example.net/a/b.git"),
    ("url-password", "amqp://svc:«{{p14}}»@mq:5672/v"),
    ("authorization", "Authorization: Bearer «{{a40}}»"),
    ("authorization", "-H 'Authorization: Basic «{{a24}}=»'"),
    ("authorization", "\"authorization\":\"token «{{h40}}»\""),
    ("bearer-token", "then it sends bearer «{{u48}}» to the other side"),
    ("basic-auth", "curl -sS -u admin:«{{p10}}» https://example.net/x"),
    ("netrc-password", "machine example.net login bot password «{{a20}}»"),
    ("sql-password", "CREATE USER app IDENTIFIED BY '«{{p12}}»';"),
    ("sql-password", "ALTER ROLE app WITH PASSWORD '«{{n}}»';"),
    ("flag-secret", "deploy --host x --password «{{n}}» --yes"),
    ("flag-secret", "tool login --token=«{{a32}}»"),
    ("password", "password=«{{n}}»"),
    ("password", "DB_PASSWORD=«{{p16}}»"),
    ("password", "  password: «{{p12}}»"),
    ("password", "\"password\": \"«{{p12}}»\","),
    ("password", "{\\\"user\\\":\\\"x\\\",\\\"password\\\":\\\"«{{n}}»\\\"}"),
    ("password", "Server=db;User Id=sa;Password=«{{n}}»;Encrypt=yes"),
    ("password", "The password is «{{n}}» for now."),
    ("password", "smtp_pass = '«{{p12}}»'"),
    ("password", "<password>«{{n}}»</password>"),
    ("password", "let password: &str = \"«{{p12}}»\";"),
    ("password", "conn.execute(dsn, passwd=\"«{{p10}}»\")"),
    ("secret", "API_KEY=«{{h32}}»"),
    ("secret", "api_key: «{{a32}}»"),
    ("secret", "const apiKey: string = \"«{{a28}}»\";"),
    ("secret", "\"client_secret\": \"«{{u40}}»\""),
    ("secret", "X-Api-Key: «{{a40}}»"),
    ("secret", "access_token=«{{u64}}»&state=1"),
    ("secret", "SECRET_KEY_BASE=«{{h128}}»"),
    ("secret", "\"token\":\"«{{x}}»\""),
    ("secret", "PRIVATE-TOKEN: «{{u20}}»"),
    ("secret", "private_key: «0x{{h64}}»"),
    ("secret", "encryption_key => '«{{b44}}»'"),
    ("session-cookie", "Cookie: theme=dark; session_id=«{{a40}}»; x=1"),
    ("high-entropy", "use this key for the gateway: «{{a40}}», thanks"),
    ("high-entropy", "The secret we got back was “x” and then `«{{a32}}»`"),
];

/// Both lists of secrets that are recognized by their context.
pub(crate) fn named() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    NAMED.iter().chain(typed::TYPED)
}

/// A text, the range of the secret in it, and its kind.
pub(crate) struct Planted {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) secret: std::ops::Range<usize>,
}

/// Every kind in every place.
pub(crate) fn planted(chance: &mut Chance) -> Vec<Planted> {
    let mut out = Vec::new();
    for (kind, template) in TOKENS {
        for place in PLACES {
            let (before, after) = place.split_once('@').unwrap();
            let secret = chance.fill(template);
            let range = before.len()..before.len() + secret.len();
            out.push(Planted { kind, text: format!("{before}{secret}{after}"), secret: range });
        }
    }
    for (kind, template) in named() {
        for _ in 0..12 {
            let filled = chance.fill(template);
            let (before, rest) = filled.split_once('«').unwrap();
            let (secret, after) = rest.split_once('»').unwrap();
            let range = before.len()..before.len() + secret.len();
            out.push(Planted { kind, text: format!("{before}{secret}{after}"), secret: range });
        }
    }
    out
}
