// First, because Node 22 and 24 load TypeScript, too, but lack other features.
import "./check-node.js";
import { parseArgs } from "node:util";
import packageJson from "../package.json" with { type: "json" };
import { observeServerSignals } from "./app/stop-signals.ts";

const usage = `Usage: inventory-service [--with-sample]

Serves the inventory until SIGTERM or Ctrl-C, without REDIS_URL from memory.

  --with-sample  load sample data into an empty Redis
  --version      print the version

Settings are environment variables, such as REDIS_URL and PORT. "inventory config show" prints all of them.
`;

// Before the large modules are loaded, because a signal could arrive in the meantime.
const signals = observeServerSignals();

try {
  const { help, version, "with-sample": withSample = false } = readOptions();
  if (help || version) process.stdout.write(help ? usage : `${packageJson.version}\n`);
  else {
    const { serve } = await import("./app/serve.ts");
    await serve(process.env, { withSample }, signals);
  }
} catch (error) {
  // The program that reads may have ended, or the terminal is closed.
  process.stderr.on("error", () => {});
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** @throws Error that says which options there are */
function readOptions() {
  try {
    return parseArgs({
      options: {
        "with-sample": { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    }).values;
  } catch {
    throw new Error(
      `${process.argv.slice(2).join(" ")}: the options are --with-sample, --help and --version. Settings are environment variables, such as PORT`,
    );
  }
}
