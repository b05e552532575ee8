//! Tokens of forges and package registries.

use super::super::entropy::{encoded_pair, mixed, secret, varied};
use super::super::rule::{Rule, named, token};

pub(super) const RULES: &[Rule] = &[
    token(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        "gh[pousr]_[A-Za-z0-9]{36,}",
        varied,
    ),
    token("github-token", &["github_pat_"], "github_pat_[A-Za-z0-9_]{40,}", varied),
    token(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "gloas-", "glcbt-", "glptt-", "glft-", "glimt-",
            "glagent-", "glsoat-",
        ],
        r"gl(?:pat|dt|rt|oas|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{20,}",
        varied,
    ),
    token("bitbucket-token", &["ATBB"], "ATBB[A-Za-z0-9]{28,32}", mixed),
    token("atlassian-token", &["ATATT3", "ATCTT3"], "AT[AC]TT3[A-Za-z0-9_=-]{100,}", varied),
    token("npm-token", &["npm_"], "npm_[A-Za-z0-9]{36}", mixed),
    named(
        "npm-token",
        &["_authtoken"],
        r#"(?i)_authtoken\s{0,2}[=:]\s{0,2}"?([A-Za-z0-9+/=_.-]{20,200})"#,
        secret,
    ),
    token("pypi-token", &["pypi-AgE"], "pypi-AgE[A-Za-z0-9_-]{50,}", varied),
    token("crates-token", &["cio"], "cio[A-Za-z0-9]{32}", mixed),
    token("rubygems-key", &["rubygems_"], "rubygems_[a-f0-9]{48}", varied),
    token("nuget-key", &["oy2"], "oy2[a-z0-9]{43}", mixed),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], "dckr_[po]at_[A-Za-z0-9_-]{27,40}", varied),
    named(
        "registry-auth",
        &["\"auth\""],
        r#"(?i)\\?"auth\\?"\s{0,4}:\s{0,4}\\?"([A-Za-z0-9+/]{12,400}={0,2})\\?""#,
        encoded_pair,
    ),
    token("clojars-token", &["CLOJARS_"], "CLOJARS_[a-z0-9]{60}", varied),
    token(
        "artifactory-key",
        &["AKCp", "cmVmdGtu"],
        "(?:AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56})",
        mixed,
    ),
    token("jsr-token", &["jsrp_"], "jsrp_[A-Za-z0-9]{40,60}", mixed),
    token("buildkite-token", &["bkua_", "bkpt_"], "bk(?:ua|pt)_[a-f0-9]{40}", varied),
    token(
        "circleci-token",
        &["CCIPAT_", "CCIPRJ_"],
        "CCIP(?:AT|RJ)_[A-Za-z0-9]{20,24}_[a-f0-9]{40}",
        varied,
    ),
];
