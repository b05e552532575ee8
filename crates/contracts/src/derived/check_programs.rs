//! Which commands check something: test runners, linters, type checkers and builds. A command counts
//! by its program and the words that say what it does, never by a word in passing.

use super::shell::Command;

/// Programs that do nothing but check.
const ALWAYS: &str = "pytest py.test nosetests unittest tox nox mypy pyright flake8 pylint jest vitest \
    mocha ava tap jasmine karma tsc vue-tsc eslint tslint stylelint xo oxlint golangci-lint staticcheck \
    gotestsum errcheck rspec rubocop minitest phpunit phpstan psalm pest shellcheck hadolint yamllint \
    markdownlint actionlint ansible-lint ctest clang-tidy cppcheck cargo-nextest ktlint detekt swiftlint \
    ninja typos codespell htmlhint tflint checkov bats busted";
/// Programs that check with one of these words as their first argument that is not an option.
const WITH_VERB: [(&str, &str); 31] = [
    ("cargo", "test nextest check clippy build bench miri t c b"),
    ("go", "test vet build"),
    ("deno", "test check lint"),
    ("bun", "test build"),
    ("dotnet", "test build"),
    ("swift", "test build"),
    ("xcodebuild", "test build analyze"),
    ("zig", "test build"),
    ("dune", "build test runtest"),
    ("cabal", "test build"),
    ("stack", "test build"),
    ("sbt", "test compile"),
    ("lein", "test check"),
    ("mix", "test compile credo dialyzer"),
    ("rebar3", "eunit ct compile dialyzer"),
    ("mvn", "test verify package compile install"),
    ("gradle", "test check build assemble compileJava compileKotlin lint"),
    ("gradlew", "test check build assemble compileJava compileKotlin lint"),
    ("bazel", "test build"),
    ("buck2", "test build"),
    ("meson", "test compile"),
    ("ruff", "check"),
    ("biome", "check lint ci"),
    ("playwright", "test"),
    ("cypress", "run"),
    ("vite", "build"),
    ("next", "build lint"),
    ("flutter", "test analyze build"),
    ("dart", "test analyze compile"),
    ("terraform", "validate"),
    ("pre-commit", "run"),
];
/// Programs that check only with one of these options.
const WITH_OPTION: [(&str, &str); 10] = [
    ("prettier", "--check -c --list-different -l"),
    ("black", "--check"),
    ("isort", "--check --check-only -c"),
    ("ruff", "--check"),
    ("rustfmt", "--check"),
    ("cargo", "--check"),
    ("gofmt", "-l -d"),
    ("node", "--test --check -c"),
    ("cmake", "--build"),
    ("bash", "-n"),
];
/// Programs that run a named target; without a target they build.
const TARGETS: &str = "make gmake just task rake ant mage";
/// Programs that run a named script of a package.
const PACKAGES: &str = "npm pnpm yarn bun composer";
/// Programs that run a file.
const INTERPRETERS: &str = "bash sh zsh python python3 node ruby perl php deno bun tsx ts-node";
/// Words in the name of a target, a script or a file that checks.
const CHECKING: &str = "test tests tested check checks lint linter typecheck types tsc verify ci spec specs \
    e2e unit integration build compile clippy vet validate coverage smoke";
/// Programs that run the command after them, with the words of theirs that come before it.
const RUNNERS: [(&str, usize); 22] = [
    ("sudo", 0),
    ("env", 0),
    ("time", 0),
    ("nohup", 0),
    ("command", 0),
    ("exec", 0),
    ("nice", 0),
    ("ionice", 0),
    ("stdbuf", 0),
    ("xvfb-run", 0),
    ("npx", 0),
    ("bunx", 0),
    ("uvx", 0),
    ("timeout", 1),
    ("uv", 1),
    ("poetry", 1),
    ("pipenv", 1),
    ("hatch", 1),
    ("pdm", 1),
    ("rye", 1),
    ("bundle", 1),
    ("direnv", 2),
];

/// Whether a command checks something.
pub(super) fn is_check(command: &Command) -> bool {
    let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
    checks(&words)
}

fn checks(words: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    if is_assignment(first) || first.starts_with('-') {
        return checks(rest);
    }
    let program = first.rsplit('/').next().unwrap_or(first);
    if let Some((_, skipped)) = RUNNERS.iter().find(|(name, _)| *name == program) {
        return checks(past(rest, *skipped));
    }
    among(ALWAYS, program)
        || by_verb(program, rest)
        || by_option(program, rest)
        || by_module(program, rest)
        || by_target(program, rest)
        || by_script(program, rest)
        || by_file(first, program, rest)
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|it| {
        !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
    })
}

fn among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|it| it == word)
}

/// The words after options, numbers and this many plain words.
fn past<'w, 'a>(words: &'w [&'a str], mut plain: usize) -> &'w [&'a str] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let is_option = first.starts_with('-') || first.parse::<f64>().is_ok();
        if !is_option && plain == 0 {
            break;
        }
        plain = plain.saturating_sub(usize::from(!first.starts_with('-')));
        rest = after;
    }
    rest
}

fn plain_words<'w>(words: &'w [&str]) -> impl Iterator<Item = &'w str> {
    words.iter().copied().filter(|it| !it.starts_with(['-', '+']) && !is_assignment(it))
}

fn by_verb(program: &str, rest: &[&str]) -> bool {
    let Some(verb) = plain_words(rest).next() else { return false };
    WITH_VERB.iter().any(|(name, verbs)| *name == program && among(verbs, verb))
        || (program == "cargo"
            && verb == "xtask"
            && plain_words(rest).nth(1).is_some_and(names_check))
}

fn by_option(program: &str, rest: &[&str]) -> bool {
    WITH_OPTION
        .iter()
        .any(|(name, options)| *name == program && rest.iter().any(|it| among(options, it)))
}

/// `python -m pytest`.
fn by_module(program: &str, rest: &[&str]) -> bool {
    let module = rest.iter().position(|it| *it == "-m").and_then(|at| rest.get(at + 1..));
    let modules = "py_compile compileall build doctest";
    program.starts_with("python")
        && module.is_some_and(|it| checks(it) || it.first().is_some_and(|it| among(modules, it)))
}

fn by_target(program: &str, rest: &[&str]) -> bool {
    if !among(TARGETS, program) {
        return false;
    }
    let is_makefile = matches!(program, "make" | "gmake");
    let mut targets = plain_words(rest).filter(|it| !it.chars().all(|it| it.is_ascii_digit()));
    match targets.next() {
        None => {
            is_makefile && !rest.iter().any(|it| matches!(*it, "-C" | "-f" | "-n" | "--version"))
        }
        Some("all") => is_makefile,
        Some(first) => std::iter::once(first).chain(targets).any(names_check),
    }
}

/// `npm test`, `npm run lint`, `yarn lint`, `pnpm exec jest`.
fn by_script(program: &str, rest: &[&str]) -> bool {
    if !among(PACKAGES, program) {
        return false;
    }
    let plain: Vec<&str> = plain_words(rest).collect();
    match plain.as_slice() {
        ["test" | "t" | "tst", ..] => true,
        ["run" | "run-script", script, ..] => names_check(script),
        ["exec" | "dlx" | "x", ..] => checks(past(rest, 1)),
        [script, ..] if program != "npm" => names_check(script),
        _ => false,
    }
}

/// A file that is run and whose name says that it checks.
fn by_file(first: &str, program: &str, rest: &[&str]) -> bool {
    let file = match among(INTERPRETERS, program) {
        true => plain_words(rest).next(),
        false => first.contains('/').then_some(first),
    };
    let name = file.and_then(|it| it.rsplit('/').next());
    name.is_some_and(|it| names_check(it) && (it.contains('.') || first.contains('/')))
}

/// Whether a name has a word that says that it checks.
fn names_check(name: &str) -> bool {
    name.split(|it: char| !it.is_ascii_alphanumeric()).any(|word| among(CHECKING, word))
}

#[cfg(test)]
mod tests {
    use super::super::shell::commands;
    use super::*;

    #[test]
    fn a_check_is_told_by_what_it_runs() {
        let check = |script: &str, expected: bool| {
            let got = commands(script).unwrap().iter().any(is_check);
            assert_eq!(got, expected, "{script}");
        };
        for script in [
            "cargo test",
            "cargo +nightly test -p x",
            "RUST_BACKTRACE=1 cargo nextest run",
            "npm test",
            "npm run lint",
            "npm run test:unit",
            "yarn typecheck",
            "pnpm exec jest",
            "npx -y vitest run",
            "pytest -q tests/a.py",
            "python3 -m pytest",
            "uv run pytest",
            "timeout 60 go test ./...",
            "make",
            "make check",
            "make -j4 test",
            "tsc --noEmit",
            "./scripts/run-tests.sh",
            "bash ci/check.sh",
            "python tests/test_a.py",
            "bash -lc 'cd x && cargo check'",
            "cargo fmt --check",
            "cargo xtask check",
            "./gradlew test",
            "bundle exec rspec",
        ] {
            check(script, true);
        }
        for script in [
            "mkdir -p build",
            "ls tests",
            "grep -rn build src",
            "git commit -qm 'fix test'",
            "echo test",
            "cat test.py",
            "cargo fmt",
            "cargo run",
            "npm install",
            "npm run dev",
            "make clean",
            "make install",
            "sed -i s/test/check/ a",
            "rm -rf build",
            "touch tests/a.py",
            "cd tests",
            "git checkout test",
            "python manage.py runserver",
            "node server.js",
            "which pytest",
        ] {
            check(script, false);
        }
    }
}
