#!/usr/bin/env node
// Runs the program of the package for this platform, with the terminal, signals and exit code passed through.
"use strict";
const { spawn } = require("node:child_process");
const os = require("node:os");

const platform = `@taffrail/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${platform}/bin/taffrail`);
} catch {
  console.error(`taffrail: the package ${platform} is not installed.`);
  console.error("It is an optional dependency of taffrail: install without --omit=optional, on Linux or macOS, x64 or arm64.");
  process.exit(1);
}

// The handlers come first: a signal that arrives while the program starts waits until it can be passed on.
let child;
const signals = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

child.on("error", (error) => {
  console.error(`taffrail: ${program} does not start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  // Ends as the program ended, so that a shell sees the same.
  for (const it of signals) process.removeAllListeners(it);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + os.constants.signals[signal]), 100);
});
