import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Part of npm ci and npm run generate. Generates `packages/connect-gateway/test/gen`, which git ignores, from the protos of the tests. */
const template = join(import.meta.dirname, "buf.gen.yaml");
execFileSync("buf", ["generate", "--template", template], {
  cwd: join(import.meta.dirname, "../../.."),
  stdio: "inherit",
});
