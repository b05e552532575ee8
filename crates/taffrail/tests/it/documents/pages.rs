//! The table of the pages.

use super::page::{
    Line, Page, Place, Step, TOWER, answered, board, excepted, followed, refused, run, serves,
    stays,
};
use Place::{Json, Printed, Text};
use Step::{
    Committed, Daemon, Device, File, Folder, Forget, Hub, Member, NatsServer, Program, Recent,
    Repository, Request, Run, Sessions, Until, Upstream,
};

const FIRST: Place = Json(&["ls", "--json"], "/sessions/0/id");
const SECOND: Place = Json(&["ls", "--json"], "/sessions/1/id");
const OPEN: Place = Json(&["approvals", "--json"], "/approvals/0/id");
const CLONED: (&str, Place) =
    ("https://github.com/taffrail/taffrail", Text("\"$HOME/upstream/taffrail\""));
const INSTALL: Line = excepted(
    "cargo install --path crates/taffrail --profile dist",
    "it builds the program that is tested here, for minutes",
);
const ANN: &str = "ann@example.org";
const LAPTOP_OF_ANN: Step = Run("laptop", &["device", "init", "--name", "laptop", "--user", ANN]);
const LAPTOP_ALONE: Step = Run("laptop", &["device", "init", "--name", "laptop"]);
const START: Step = Daemon("laptop");
const NPM: &str =
    "npm downloads what it needs; `web/same.sh` of `.ci/run` builds and checks the pages";

const BUILDS: &str = "it builds what is tested here, for minutes";
const MEETING: &str = "somebody at a terminal has to compare the words";
const NO_HOST: &str = "no such host exists; the tests of `ssh` reach a real server";
const FIRST_SERVER: &str = "the server of the page's first configuration still runs";
const NO_HUB: &str = "this device uses no hub; `hub::moving` moves a team";
const NO_BOARD: &str = "a board needs a terminal; `ssh::boards` has one";
const PIN: &str = "its pin is only the beginning of one";
const LAUNCHD: &str = "only macOS has this program";

const REAL_MCP: &str = "the agent is not there; `agents::mcp` runs it with the real one";
const NO_COLLECTOR: &str = "no collector takes spans there";

/// Every page that needs more than an empty home.
pub(crate) const PAGES: &[Page] = &[
    Page {
        name: "README.md",
        world: &[Sessions, Upstream],
        places: &[CLONED],
        // The board starts a daemon.
        lines: &[INSTALL, board("taffrail"), run("taffrail show @last").after(&[START])],
    },
    Page {
        name: "docs/adding-an-agent.md",
        world: &[Sessions],
        places: &[("cargo run --release --", Text("taffrail")), ("parrot", Text("claude-code"))],
        lines: &[
            excepted(
                "UPDATE_FIXTURES=1 cargo nextest run --release -p taffrail-adapters",
                "it builds and runs other tests, and writes into the checkout",
            ),
            excepted(
                "UPDATE_GOLDEN=1 cargo nextest run --release -p taffrail-adapters the_document_has_the_table",
                "it builds and runs other tests, and writes into the checkout",
            ),
            excepted(
                "INSTA_UPDATE=always cargo nextest run --release -p taffrail 'cli::'",
                "it builds and runs other tests, and writes into the checkout",
            ),
            excepted("cargo xtask check", "it runs this test"),
        ],
    },
    Page {
        name: "docs/api.md",
        world: &[Sessions, Recent],
        // An answer that is an error is a fault of the page.
        places: &[("curl ", Text("curl --fail "))],
        lines: &[
            serves("taffrail daemon run --http 127.0.0.1:4417"),
            followed(
                "curl -N -H \"Accept: text/event-stream\" --unix-socket \"$XDG_RUNTIME_DIR/taffrail/taffrail.sock\" http://localhost/api/sessions/@last/stream",
                "event: init",
            ),
        ],
    },
    Page {
        name: "docs/approvals.md",
        world: &[Recent, START],
        places: &[("3f2a", OPEN)],
        lines: &[
            run("taffrail approvals").after(&[Request]),
            run("taffrail approve 3f2a").after(&[Request]),
            run("taffrail approve 3f2a --always").after(&[Request]),
            run("taffrail deny 3f2a --reason \"use the staging database\"").after(&[Request]),
            run("taffrail approvals show 3f2a").after(&[Request]),
        ],
    },
    Page {
        name: "docs/archive.md",
        world: &[Sessions, Run("laptop", &["index"])],
        places: &[
            ("3f2a", FIRST),
            ("f6/f6….1.tfa", Text("$(cd ~/.local/share/taffrail/archive && ls */*.tfa | head -1)")),
        ],
        lines: &[],
    },
    Page {
        name: "docs/bindings.md",
        world: &[Sessions],
        places: &[("3f2a", FIRST), ("91c0", SECOND)],
        lines: &[],
    },
    Page {
        name: "docs/cli.md",
        world: &[Sessions],
        places: &[
            ("8f31", FIRST),
            (
                "source <(taffrail completions zsh)",
                Text(
                    "zsh -fc 'autoload -U compinit; compinit -D; source <(taffrail completions zsh)'",
                ),
            ),
            // These shells are not here.
            ("fish | source", Text("fish | grep complete")),
            ("eval (taffrail completions elvish | slurp)", Text("taffrail completions elvish")),
            (" | Out-String | Invoke-Expression", Text("")),
        ],
        lines: &[],
    },
    Page {
        name: "docs/daemon.md",
        world: &[Sessions, Recent],
        places: &[("3f2a", FIRST)],
        lines: &[
            run("taffrail wait 3f2a").after(&[START]),
            run("taffrail wait --any --for waiting_approval --timeout 600").after(&[Request]),
            followed("taffrail tail -f 3f2a", "user.prompt"),
            followed("taffrail daemon logs -f", "the daemon starts"),
        ],
    },
    Page {
        name: "docs/devices.md",
        world: &[Device(TOWER)],
        places: &[
            ("taffrail-invite-...", Printed("taffrail-invite-")),
            ("taffrail-request-...", Printed("taffrail-request-")),
        ],
        lines: &[
            refused("taffrail link --hub nats://10.0.0.5", 6, MEETING),
            refused("taffrail link 'nats://10.0.0.5:4222#k7qf-9m2x-w4tz-p8hr-3n6d'", 6, MEETING),
            refused("taffrail link ssh://ann@tower.example", 5, NO_HOST),
            refused("taffrail link ssh://ann@tower.example --list", 5, NO_HOST),
            refused("taffrail link ssh://ann@tower.example --answer", 2, NO_BOARD),
            run("taffrail device init --name tower").on(TOWER),
            run("taffrail device join taffrail-invite-...").on(TOWER),
            answered("taffrail device approve taffrail-request-...", "y\n"),
        ],
    },
    Page { name: "docs/findings.md", world: &[Sessions], places: &[("3f2a", FIRST)], lines: &[] },
    Page {
        name: "docs/exports.md",
        world: &[Sessions],
        places: &[],
        lines: &[
            refused(
                "taffrail export @last --format otlp --to http://127.0.0.1:4318",
                1,
                NO_COLLECTOR,
            ),
            refused(
                "taffrail export @last --format otlp --to http://127.0.0.1:4318 --content",
                1,
                NO_COLLECTOR,
            ),
        ],
    },
    Page {
        name: "docs/handoff.md",
        world: &[Sessions, Program("codex")],
        places: &[("3f2a", FIRST)],
        lines: &[answered("taffrail handoff 3f2a --to codex", "y\n")],
    },
    Page {
        name: "docs/hooks.md",
        world: &[Sessions],
        places: &[],
        lines: &[
            answered("taffrail hooks install", "y\ny\n"),
            answered("taffrail hooks uninstall", "y\ny\n"),
        ],
    },
    Page {
        name: "docs/hub.md",
        world: &[LAPTOP_OF_ANN, NatsServer],
        places: &[
            // The certificate is for this name, and the store is not below `/var`.
            ("--host hub.example --out", Text("--host 127.0.0.1 --store \"$PWD/store\" --out")),
            ("'tls://hub.example:4222?pin=5f0c...'", Printed("'tls://")),
        ],
        lines: &[
            stays("nats-server -c nats.conf", "Server is ready"),
            refused("taffrail link --hub 'tls://hub.example:4222?pin=5f0c...'", 6, MEETING),
            refused("taffrail hub use 'tls://hub.example:4222?pin=5f0c...&streams=16'", 2, PIN),
            refused("taffrail hub use 'tls://hub.example:4222?pin=5f0c...'", 6, FIRST_SERVER),
            refused("taffrail hub move nats://tower:4222 --dry-run", 6, NO_HUB),
            refused("taffrail hub move nats://tower:4222", 6, NO_HUB),
        ],
    },
    Page {
        name: "docs/install.md",
        world: &[Sessions, Upstream],
        places: &[CLONED],
        lines: &[
            INSTALL,
            excepted("cargo xtask dist", "it builds every package, for an hour"),
            excepted(
                "cargo xtask dist --target x86_64-unknown-linux-musl",
                "it builds packages, for minutes",
            ),
            board("taffrail"),
            answered("taffrail setup", "n\nn\nn\nn\nn\n"),
            refused("taffrail device ls", 6, "this device is in no team, as its comment says"),
            excepted("cargo uninstall taffrail", "cargo did not install the program of a test"),
        ],
    },
    Page {
        name: "docs/macos.md",
        world: &[Sessions, Upstream],
        places: &[CLONED, ("-p PID", Text("-p $$"))],
        lines: &[
            excepted("cargo build --locked --package taffrail", BUILDS),
            excepted(
                "cargo test --locked --package taffrail-capture --package taffrail-api --package taffrail-store --no-fail-fast",
                BUILDS,
            ),
            board("taffrail"),
            excepted(
                "launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/taffrail.plist",
                LAUNCHD,
            ),
            excepted("launchctl print gui/$(id -u)/taffrail", LAUNCHD),
            excepted("plutil -lint ~/Library/LaunchAgents/taffrail.plist", LAUNCHD),
            excepted("launchctl bootout gui/$(id -u)/taffrail", LAUNCHD),
        ],
    },
    Page {
        name: "docs/notifications.md",
        world: &[Run("laptop", &["config", "set", "notifications.command", "[\"true\"]"])],
        places: &[],
        lines: &[],
    },
    Page {
        name: "docs/phone.md",
        world: &[],
        places: &[("https://machine.tailnet.ts.net", Text("https://machine.example"))],
        lines: &[
            excepted(
                "ssh -N -L 7717:127.0.0.1:7717 you@machine",
                "no SSH server runs there; the page says how the tunnel was tried",
            ),
            excepted("tailscale serve --bg 7717", "no Tailscale is there"),
            answered("taffrail config set web.public_url https://machine.tailnet.ts.net", "y\n"),
        ],
    },
    Page {
        name: "docs/retention.md",
        world: &[Sessions],
        places: &[("3f2a", FIRST), ("b01e", SECOND)],
        lines: &[run("taffrail capture off 3f2a").after(&[Forget])],
    },
    Page {
        name: "docs/run.md",
        world: &[
            Sessions,
            Program("claude"),
            Program("codex"),
            File("wrapper", "#!/bin/sh\ncodex\n"),
        ],
        places: &[("3f2a", FIRST)],
        lines: &[],
    },
    Page { name: "docs/search.md", world: &[Sessions], places: &[("3f2a", FIRST)], lines: &[] },
    Page {
        name: "docs/send.md",
        world: &[Sessions, START, File("prompt.md", "now the tests")],
        places: &[
            ("3f2a", FIRST),
            ("9c1d", Json(&["queue", "@last", "ls", "--json"], "/messages/0/correlation_id")),
        ],
        lines: &[
            refused("taffrail send 3f2a \"now run the tests\"", 6, NOBODY),
            refused("taffrail send @last - < prompt.md", 6, NOBODY),
            refused(
                "taffrail queue add 3f2a \"go on\" --at-reset",
                3,
                "no agent reported a limit on this machine",
            ),
        ],
    },
    Page {
        name: "docs/share.md",
        world: &[
            Sessions,
            LAPTOP_OF_ANN,
            Member(TOWER, "carl@example.org"),
            Member("office", "dave@example.org"),
            Member("desk", "bob@example.org"),
            Hub,
        ],
        places: &[("3f2a", FIRST)],
        lines: &[],
    },
    Page {
        name: "docs/acp.md",
        world: &[Program("gemini"), Program("opencode"), File("start", "#!/bin/sh\n")],
        places: &[],
        lines: &[],
    },
    // The real programs do this in `agents::plugin`.
    Page {
        name: "docs/plugin.md",
        world: &[Program("claude"), Program("codex"), Program("gemini")],
        places: &[],
        lines: &[],
    },
    Page {
        name: "docs/blame.md",
        world: &[Sessions, Committed("src/lib.rs")],
        places: &[],
        lines: &[],
    },
    Page {
        name: "docs/mcp.md",
        world: &[Sessions],
        places: &[],
        lines: &[
            answered("taffrail mcp install", "y\ny\ny\ny\n"),
            answered("taffrail mcp uninstall", "y\ny\ny\ny\n"),
            serves("taffrail daemon run --http 127.0.0.1:4417"),
            excepted(
                "claude mcp add -s user --transport http taffrail http://127.0.0.1:4417/mcp --header \"Authorization: Bearer $(taffrail token --show)\"",
                REAL_MCP,
            ),
            excepted(
                "codex mcp add taffrail --url http://127.0.0.1:4417/mcp --bearer-token-env-var TAFFRAIL_TOKEN",
                REAL_MCP,
            ),
            excepted(
                "gemini mcp add -s user --transport http -H \"Authorization: Bearer $(taffrail token --show)\" taffrail http://127.0.0.1:4417/mcp",
                REAL_MCP,
            ),
        ],
    },
    Page {
        name: "docs/prices.md",
        world: &[File(
            "model_prices_and_context_window.json",
            r#"{"m": {"input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05}}"#,
        )],
        places: &[],
        lines: &[],
    },
    Page {
        name: "docs/summary.md",
        world: &[Sessions, START, Program("my-summary")],
        places: &[("3f2a", FIRST)],
        lines: &[],
    },
    Page {
        name: "docs/sync.md",
        world: &[Sessions, Recent, LAPTOP_ALONE],
        places: &[
            ("link CODE", Text("link 'nats://10.0.0.5:4222#k7qf-9m2x-w4tz-p8hr-3n6d'")),
            ("3f2a", OPEN),
            ("11e0", FIRST),
        ],
        lines: &[
            refused("taffrail link --hub nats://hub.local", 6, MEETING),
            refused("taffrail link CODE", 6, MEETING),
            run("taffrail approvals").on(TOWER).after(&[
                Run("laptop", &["daemon", "stop"]),
                Member(TOWER, ""),
                Hub,
                START,
                Daemon(TOWER),
                Request,
                Until(TOWER, &["approvals", "--json"], "/approvals/0/id"),
            ]),
            run("taffrail approve 3f2a").on(TOWER),
            refused("taffrail send 11e0 \"now the tests\"", 6, NOBODY).on(TOWER).after(&[Until(
                TOWER,
                &["ls", "--json"],
                "/sessions/0/id",
            )]),
        ],
    },
    Page {
        name: "docs/telemetry.md",
        world: &[Sessions],
        places: &[],
        lines: &[serves("taffrail daemon run --otel 127.0.0.1:4318")],
    },
    Page {
        name: "docs/teleport.md",
        world: &[
            Sessions,
            Repository("laptop"),
            LAPTOP_OF_ANN,
            Member(TOWER, ANN),
            Repository(TOWER),
            Program("codex"),
        ],
        places: &[("3f2a", FIRST)],
        lines: &[
            run("taffrail teleport unpack fix.bundle --project ~/src/app --dry-run").on(TOWER),
            run("taffrail teleport unpack fix.bundle --project ~/src/app --patch").on(TOWER),
            run("taffrail resume 3f2a").on(TOWER),
            run("taffrail teleport push @last").after(&[Hub]),
            run("taffrail teleport ls").on(TOWER),
            run("taffrail teleport pull 3f2a --project ~/src/app").on(TOWER),
            followed("taffrail teleport lease 3f2a --hold 600", "held until").on(TOWER),
        ],
    },
    Page {
        name: "docs/troubleshooting.md",
        world: &[Sessions, START],
        places: &[],
        lines: &[followed("taffrail daemon logs -f", "the daemon starts")],
    },
    Page {
        name: "docs/web.md",
        world: &[Sessions, Program("xdg-open"), Folder("web")],
        places: &[],
        lines: &[
            excepted("npm install --no-save", NPM),
            excepted("npm run types", NPM),
            excepted("npm run check", NPM),
            excepted("npm run build", NPM),
            excepted("npx playwright test", NPM),
        ],
    },
];

/// Why a prompt is not delivered here. The tests with real agents deliver theirs.
const NOBODY: &str = "no process runs the session, and `send` says so";
