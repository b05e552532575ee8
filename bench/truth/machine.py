"""A machine for one real agent: a network with only loopback, an empty home, the scripted model, and a terminal."""
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
KEY = "sk-ant-fake-000000000000000000000000"
PATIENCE = 60  # seconds
FIRST = "folder=/tmp/tmux-$(id -u); ip link set lo up && mkdir -p -m 700 $folder && mount -t tmpfs -o mode=700 none $folder && echo up && cat"
CODEX = """model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:PORT/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false

[features]
plugins = false
apps = false
daemon_auto_start = false
default_mode_request_user_input = true

[analytics]
enabled = false

[feedback]
enabled = false

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[projects."PROJECT"]
trust_level = "trusted"
"""
# What a user types and sees.
AGENTS = {
    "claude-code": {
        "package": "@anthropic-ai/claude-code", "version": "2.1.325", "program": "node_modules/@anthropic-ai/claude-code-linux-{short}/claude",
        "arguments": ["--permission-mode", "default"], "ready": "manual mode on", "dialog": "Do you want to proceed?", "allow": "Enter", "quit": "/exit",
        "broken_off": "Interrupted", "second": "❯ 2. South",
    },
    "codex": {
        "package": "@openai/codex", "version": "0.166.0", "program": "node_modules/@openai/codex-linux-{short}/vendor/{long}-unknown-linux-musl/bin/codex",
        "arguments": ["-a", "on-request", "-s", "danger-full-access", "--dangerously-bypass-hook-trust"], "ready": "Ask Codex to do anything",
        "dialog": "Would you like to run the following command?", "allow": "y", "quit": "/quit",
        "broken_off": "Conversation interrupted", "second": "› 2. South",
    },
}


def program_of(agent):
    """The agent's program, installed at its pinned version where the project's tests keep it."""
    package = f"{agent['package']}@{agent['version']}"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = f"{cache}/taffrail-agents/{package}"
    long = platform.machine()
    program = f"{folder}/" + agent["program"].format(long=long, short={"x86_64": "x64", "aarch64": "arm64"}[long])
    if not os.path.exists(program):
        parent = os.path.dirname(folder)
        os.makedirs(parent, exist_ok=True)
        making = tempfile.mkdtemp(prefix=".making-", dir=parent)
        subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", making, package], cwd=making, check=True)
        os.rename(making, folder)
    return program


class Machine:
    """One agent with its model. Leaving it ends every process on it."""

    def __init__(self, home, kind, script, binary):
        self.home, self.kind, self.agent, self.script, self.binary = home, kind, AGENTS[kind], script, binary
        self.project = f"{home}/app"

    def __enter__(self):
        for folder in ("tmp", "run", ".claude", ".codex/rules", "config/taffrail"):
            os.makedirs(f"{self.home}/{folder}", mode=0o700, exist_ok=True)
        program = program_of(self.agent)
        self.holder = subprocess.Popen(["unshare", "--net", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child", "sh", "-c", FIRST],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "up\n":
            raise SystemExit("Real agents need a network of their own: run this as root on Linux, with util-linux, iproute2 and tmux.")
        with open(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children") as children:
            self.inside = ["nsenter", "-t", children.read().split()[0], "--net", "--pid", "--mount", "--", "env", "-C", self.project]
        with open(f"{self.home}/script.json", "w") as out:
            json.dump(self.script, out)
        model = self.spawn(["python3", f"{FOLDER}/model.py", f"{self.home}/script.json", f"{self.home}/model.jsonl"])
        self.seed(int(model.stdout.readline()))
        self.run(self.binary, "hooks", "install", "--yes")
        self.start(program)
        return self

    def __exit__(self, *_):
        self.holder.stdin.close()
        self.holder.kill()
        self.holder.wait()

    def seed(self, port):
        """Prepares a home in which the first start asks nothing."""
        with open(f"{self.home}/.codex/config.toml", "w") as out:
            out.write(CODEX.replace("PORT", str(port)).replace("PROJECT", self.project))
        with open(f"{self.home}/config/taffrail/config.toml", "w") as out:
            out.write("[control]\nscripts = true\n")
        with open(f"{self.home}/.codex/rules/default.rules", "w") as out:
            out.write('prefix_rule(pattern=["./deploy.sh"], decision="prompt")\n')
        project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        state = {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []}, "projects": {self.project: project}}
        with open(f"{self.home}/.claude.json", "w") as out:
            json.dump(state, out)
        rules = {"allow": ["Bash", "Edit", "Write", "Read"], "ask": ["Bash(./deploy.sh:*)"]}
        with open(f"{self.home}/.claude/settings.json", "w") as out:
            json.dump({"permissions": rules}, out)
        names = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL", "CLAUDE_CODE_MAX_RETRIES", "CLAUDE_CODE_ENABLE_TASKS", "CLAUDE_CODE_ENABLE_TODO_TOOLS",
                 "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER"]
        self.extra = {**dict.fromkeys(names, "1"), "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": KEY, "FAKE_KEY": "fake"}

    def environment(self):
        return {"HOME": self.home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/bash",
                "TMPDIR": f"{self.home}/tmp", "XDG_DATA_HOME": f"{self.home}/data", "XDG_CONFIG_HOME": f"{self.home}/config", "XDG_STATE_HOME": f"{self.home}/state",
                "XDG_RUNTIME_DIR": f"{self.home}/run", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.org",
                "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.org"}

    def spawn(self, command):
        return subprocess.Popen([*self.inside, *command], env=self.environment(), stdout=subprocess.PIPE, text=True)

    def run(self, *command, extra=None):
        """Runs a program inside, and returns its output."""
        done = subprocess.run([*self.inside, *command], env={**self.environment(), **(extra or {})}, text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    def start(self, program):
        tmux = shutil.which("tmux") or "tmux"
        self.tmux = [tmux, "-L", "screen", "-f", "/dev/null"]
        self.run(*self.tmux, "start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";",
                 "new-session", "-d", "-x", "140", "-y", "50", "--", program, *self.agent["arguments"], extra=self.extra)
        self.wait_for(self.agent["ready"])

    def screen(self):
        return "\n".join(line.rstrip() for line in self.run(*self.tmux, "capture-pane", "-p").splitlines())

    def wait_until(self, what, is_so):
        end = time.monotonic() + PATIENCE
        while True:
            screen = self.screen()
            if is_so(screen):
                return screen
            if time.monotonic() > end:
                raise RuntimeError(f"{self.kind}: {what} never came on this screen:\n{screen}")
            time.sleep(0.05)

    def wait_for(self, text):
        return self.wait_until(repr(text), lambda screen: text in screen)

    def press(self, *keys):
        self.run(*self.tmux, "send-keys", *keys)

    def press_until(self, key, what, is_so):
        """Presses a key until it has its effect: a dialog that has just appeared drops keys."""
        looks = iter(range(10_000))

        def look(screen):
            so = is_so(screen)
            if not so and next(looks) % 20 == 0:
                self.press(key)
            return so
        self.wait_until(what, look)

    def is_asked(self, prompt):
        with open(f"{self.home}/model.jsonl") as log:
            return any(json.loads(line)["prompt"] == prompt for line in log)

    def prompt(self, text):
        """Types a prompt, and Enter until the model gets it: an agent takes keys that come fast for pasted text."""
        self.write(text)
        self.press_until("Enter", "a request", lambda _: self.is_asked(text))

    def write(self, text):
        self.run(*self.tmux, "send-keys", "-l", text)
        self.wait_for(text[-12:])

    def finished(self, words):
        self.wait_until(words, lambda screen: words in screen and "esc to interrupt" not in screen)

    def quit(self):
        self.write(self.agent["quit"])
        self.press_until("Enter", "the end", lambda _: self.run(*self.tmux, "display-message", "-p", "#{pane_dead}").strip() == "1")
