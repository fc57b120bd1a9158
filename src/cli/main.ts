#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before anything large is loaded: from the second start on, nothing has to be compiled again.
enableCompileCache();
const { run } = await import("./program.ts");

// Who wrote is told of a failure by its callback; without a listener it would end the process too.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  isTTY: process.stderr.isTTY,
});
