#!/usr/bin/env node
// First, because Node 22 and 24 load TypeScript, too, but lack other features.
import "../check-node.js";

const { run } = await import("./program.ts");

// The callback of each write reports failures. Without a listener, a failure would also end the process.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

// ioredis would write warnings to standard error. Commands report why they fail.
console.warn = () => {};

const exitCode = await run(process.argv.slice(2), {
  env: process.env,
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  showsProgress: process.stderr.isTTY,
  // No log shipper reads a terminal.
  auditLog: process.stderr.isTTY ? undefined : process.stderr,
});
// `serve` may have set another one.
process.exitCode ||= exitCode;
