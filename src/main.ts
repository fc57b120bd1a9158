import { enableCompileCache } from "node:module";

// Before anything large is loaded: from the second start on, nothing has to be compiled again.
enableCompileCache();
const { serve } = await import("./serve.ts");

try {
  await serve(process.env);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
