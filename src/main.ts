// First, because Node 22 and 24 load TypeScript, too, but lack other features.
import "./check-node.js";
import { parseArgs } from "node:util";
import type { ServeOptions } from "./app/life.ts";
import { observeServerSignals } from "./app/stop-signals.ts";

// Before the large modules are loaded, because a signal could arrive in the meantime.
const signals = observeServerSignals();

try {
  const options = readOptions();
  const { serve } = await import("./app/serve.ts");
  await serve(process.env, options, signals);
} catch (error) {
  // The program that reads may have ended, or the terminal is closed.
  process.stderr.on("error", () => {});
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** @throws Error that says which options there are */
function readOptions(): ServeOptions {
  try {
    const { values } = parseArgs({ options: { "with-sample": { type: "boolean" } } });
    return { withSample: values["with-sample"] === true };
  } catch {
    throw new Error(
      `${process.argv.slice(2).join(" ")}: the only option is --with-sample, which loads sample data into an empty Redis. Settings are environment variables: docs/operator/configuration.md`,
    );
  }
}
