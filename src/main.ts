// First, because Node 22 and 24 load TypeScript, too, but lack other features.
import "./check-node.js";
import { observeServerSignals } from "./app/stop-signals.ts";

// Before the large modules are loaded, because a signal could arrive in the meantime.
const signals = observeServerSignals();
const { serve } = await import("./app/serve.ts");

try {
  await serve(process.env, signals);
} catch (error) {
  // The program that reads may have ended, or the terminal is closed.
  process.stderr.on("error", () => {});
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
