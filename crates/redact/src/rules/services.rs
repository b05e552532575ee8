//! Tokens of chat, mail, payment and office services.

use super::super::entropy::{mixed, varied};
use super::super::rule::{Rule, named, token};

pub(super) const RULES: &[Rule] = &[
    token(
        "slack-token",
        &["xoxa-", "xoxb-", "xoxc-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxe.xox"],
        r"xox(?:e\.xox)?[abceoprs]-[A-Za-z0-9-]{16,}",
        varied,
    ),
    // The browser's half of a session, escaped as in a cookie.
    token("slack-token", &["xoxd-"], "xoxd-[A-Za-z0-9%+/=_-]{16,}", varied),
    token("slack-token", &["xapp-"], "xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{8,16}-[a-f0-9]{64}", varied),
    token(
        "slack-webhook",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{36,}",
        mixed,
    ),
    named(
        "discord-token",
        &["discord", "bot "],
        r#"(?i)(?:discord|bot )[^\n]{0,60}?[\s"'=:]([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})"#,
        mixed,
    ),
    token(
        "discord-webhook",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/[0-9]{16,20}/[A-Za-z0-9_-]{60,80}",
        varied,
    ),
    token("telegram-token", &[":AA"], "[0-9]{8,10}:AA[A-Za-z0-9_-]{32,33}", mixed),
    token(
        "teams-webhook",
        &["webhook.office.com/"],
        r"webhook\.office\.com/webhookb2/[a-z0-9-]{36}@[a-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}",
        varied,
    ),
    token("twilio-key", &["SK"], "SK[a-f0-9]{32}", varied),
    token("sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", mixed),
    named(
        "mailgun-key",
        &["key-"],
        r"(?:^|[^A-Za-z0-9_-]|\\[nrt])(key-[a-f0-9]{32})(?:[^A-Za-z0-9-]|$)",
        varied,
    ),
    token("mailchimp-key", &["-us"], "[a-f0-9]{32}-us[0-9]{1,2}", varied),
    token(
        "brevo-key",
        &["xkeysib-", "xsmtpsib-"],
        "x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
        varied,
    ),
    token("resend-key", &["re_"], "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", mixed),
    token("linear-key", &["lin_api_", "lin_oauth_"], "lin_(?:api|oauth)_[A-Za-z0-9]{40,64}", mixed),
    token(
        "notion-token",
        &["ntn_", "secret_"],
        "(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})",
        mixed,
    ),
    token("figma-token", &["figd_"], "figd_[A-Za-z0-9_-]{36,50}", varied),
    token("airtable-token", &["pat"], r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", varied),
    token("postman-key", &["PMAK-"], "PMAK-[a-f0-9]{24}-[a-f0-9]{34}", varied),
    token("typeform-token", &["tfp_"], "tfp_[A-Za-z0-9_.=-]{40,64}", varied),
    token(
        "hubspot-token",
        &["pat-na1-", "pat-eu1-", "pat-na2-"],
        "pat-(?:na|eu)[0-9]-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}",
        varied,
    ),
    token(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        "[sr]k_(?:live|test)_[A-Za-z0-9]{20,}",
        varied,
    ),
    token("stripe-webhook-secret", &["whsec_"], "whsec_[A-Za-z0-9+/=]{32,64}", mixed),
    token("square-token", &["sq0atp-", "sq0csp-"], "sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}", varied),
    token(
        "braintree-token",
        &["access_token$"],
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
        varied,
    ),
    token("razorpay-key", &["rzp_live_", "rzp_test_"], "rzp_(?:live|test)_[A-Za-z0-9]{14}", varied),
    token(
        "plaid-token",
        &["access-sandbox-", "access-development-", "access-production-"],
        "access-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
        varied,
    ),
    token("flutterwave-key", &["FLWSECK"], "FLWSECK(?:_TEST)?-[a-f0-9]{32}-X", varied),
    token(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        varied,
    ),
    token("mapbox-token", &["k.eyJ"], r"[st]k\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}", varied),
    token("facebook-token", &["EAA"], "EAA[A-Za-z0-9]{90,}", mixed),
    token(
        "twitter-token",
        &["AAAAAAAAAAAAAAAAAAAA"],
        "A{20,24}[A-Za-z0-9]{5,40}%[A-Za-z0-9%]{30,}",
        mixed,
    ),
    token(
        "jwt",
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{0,})?",
        varied,
    ),
];
