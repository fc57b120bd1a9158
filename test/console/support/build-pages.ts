import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** Builds the browser pages, so that the tests see the current sources. */
export function setup(): void {
  execFileSync(process.execPath, [join(root, "packaging/build-web.ts")], { stdio: "inherit" });
}
