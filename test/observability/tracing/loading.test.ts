import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compileCache } from "../../system/harness/server-process.ts";

const src = join(import.meta.dirname, "../../../src");

/** Prints the URL of each module of OpenTelemetry that is loaded. */
const hooks = `import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    if (url.includes("/@opentelemetry/")) console.log(url);
    return next(url, context);
  },
});`;

/** Loads a module in another process. @returns the modules of OpenTelemetry that it loads */
function loadedBy(module: string): string[] {
  const options = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`];
  const code = `await import(${JSON.stringify(join(src, module))})`;
  const printed = execFileSync(
    process.execPath,
    [...options, "--input-type=module", "--eval", code],
    { encoding: "utf8", env: { ...process.env, NODE_COMPILE_CACHE: compileCache } },
  );
  return printed.split("\n").filter((line) => line !== "");
}

test("loads OpenTelemetry only when tracing is on", () => {
  expect(loadedBy("observability/tracing/tracing.ts").length).toBeGreaterThan(10);
  expect(loadedBy("app/serve.ts")).toEqual([]);
});
