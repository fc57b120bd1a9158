// First, because Node 22 and 24 load TypeScript, too, but lack other features.
import "./check-node.js";
import { enableCompileCache } from "node:module";

// Without a listener, a SIGHUP during the start would end the process. The settings are read after this.
process.on("SIGHUP", () => {});

// Before the large modules are loaded, so that the second start compiles nothing again.
enableCompileCache();
const { serve } = await import("./serve.ts");

try {
  await serve(process.env);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
