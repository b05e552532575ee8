//! Only licences that let us ship, and none of the crates we decided against.

use super::metadata::Package;
use super::{Finding, spdx};

const ALLOWED: [&str; 15] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

const BANNED: [&str; 7] = [
    "asupersync",
    "cass",
    "franken-agent-detection",
    "frankensearch",
    "fsqlite",
    "ftui",
    "openssl-sys",
];

/// Every package we may not use, in tests neither.
pub(super) fn check(packages: &[Package]) -> Vec<Finding> {
    packages.iter().filter_map(check_package).collect()
}

fn check_package(package: &Package) -> Option<Finding> {
    let complaint = complaint(package)?;
    let name = format!("{} {}", package.name, package.version);
    Some(Finding::new(name, 0, complaint))
}

fn complaint(package: &Package) -> Option<String> {
    if BANNED.contains(&package.name.as_str()) {
        return Some("this crate is banned".to_owned());
    }
    let Some(licence) = &package.licence else {
        return Some("names no licence".to_owned());
    };
    let allowed = |licence: &str| ALLOWED.contains(&licence);
    (!spdx::satisfied(licence, &allowed)).then(|| format!("its licence is not allowed: {licence}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_and_names_are_checked() {
        let check = |name: &str, licence: Option<&str>, expected: Option<&str>| {
            let package = Package {
                name: name.to_owned(),
                version: "1.2.3".to_owned(),
                licence: licence.map(str::to_owned),
                ..Package::default()
            };
            let got = check(&[package]);
            assert_eq!(got.first().map(|finding| finding.message.as_str()), expected);
        };
        check("serde", Some("MIT OR Apache-2.0"), None);
        check("old", Some("Unlicense/MIT"), None);
        check("rustix", Some("Apache-2.0 WITH LLVM-exception OR MIT"), None);
        check("ident", Some("(MIT OR Apache-2.0) AND Unicode-3.0"), None);
        check("gpl", Some("GPL-3.0-only"), Some("its licence is not allowed: GPL-3.0-only"));
        check("both", Some("MIT AND GPL-2.0"), Some("its licence is not allowed: MIT AND GPL-2.0"));
        check("none", None, Some("names no licence"));
        check("openssl-sys", Some("MIT"), Some("this crate is banned"));
    }
}
