# Builds Taffrail from source with Nix: `nix run github:taffrail/taffrail`, `nix develop` for a shell with the tools.
{
  description = "See every coding-agent session on your machines, and which one waits on you";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      lib = nixpkgs.lib;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem = build: lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
      manifest = (lib.importTOML ./Cargo.toml).workspace.package;
    in
    {
      packages = forEachSystem (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "taffrail";
          version = manifest.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package=taffrail" ];
          buildType = "dist";
          # The tests need real agents, tmux and the network of a hub: `.ci/run` runs them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            export HOME=$TMPDIR
            $out/bin/taffrail man --out man
            installManPage man/*.1
            installShellCompletion --cmd taffrail \
              --bash <($out/bin/taffrail completions bash) \
              --zsh <($out/bin/taffrail completions zsh) \
              --fish <($out/bin/taffrail completions fish)
          '';
          meta = {
            description = "See every coding-agent session on your machines, and which one waits on you";
            homepage = manifest.repository;
            license = with lib.licenses; [
              asl20
              mit
            ];
            mainProgram = "taffrail";
            platforms = systems;
          };
        };
      });

      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [
            cargo
            cargo-nextest
            clippy
            nodejs
            python3
            rustc
            rustfmt
            tmux
          ];
        };
      });
    };
}
