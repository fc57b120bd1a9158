import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { installChromium } from "../../harness/chromium.ts";

const root = join(import.meta.dirname, "../../../..");

/** Builds the browser pages, so that the tests see the current sources, and installs Chromium if it is missing. */
export function setup(): void {
  installChromium();
  execFileSync(process.execPath, [join(root, "packages/console/build.ts")], { stdio: "inherit" });
}
