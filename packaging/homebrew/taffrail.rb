# The formula of a release. `packaging/fill.py` replaces @...@.
class Taffrail < Formula
  desc "See every coding-agent session on your machines, and which one waits on you"
  homepage "https://github.com/taffrail/taffrail"
  version "@VERSION@"
  license any_of: ["Apache-2.0", "MIT"]

  on_macos do
    on_arm do
      url "https://github.com/taffrail/taffrail/releases/download/v@VERSION@/taffrail-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/taffrail/taffrail/releases/download/v@VERSION@/taffrail-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/taffrail/taffrail/releases/download/v@VERSION@/taffrail-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "https://github.com/taffrail/taffrail/releases/download/v@VERSION@/taffrail-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "taffrail"
    man1.install Dir["man/**/*.1"]
    bash_completion.install "completions/taffrail.bash" => "taffrail"
    zsh_completion.install "completions/_taffrail"
    fish_completion.install "completions/taffrail.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/taffrail --version")
    assert_match "sessions", shell_output("#{bin}/taffrail ls --json")
  end
end
