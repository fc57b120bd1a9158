/**
 * Builds the npm package of the service: `npm run task pack-service -- FOLDER`. It has the bundle of the service, which needs
 * no other package.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { packNpm, readManifest, root, run } from "./npm-package.ts";

const { name, version, description, license, repository, bugs, type, engines } = readManifest(root);
const manifest = {
  ...{ name, version, description, license, repository, bugs, type, engines },
  files: ["dist", "gen", "CHANGELOG.md"],
  // npx runs the command that has the name of the package.
  bin: { "inventory-service": "dist/start.js", inventory: "dist/cli/start.js" },
};

packNpm(root, manifest, (stage) => {
  run(process.execPath, ["packages/console/build.ts", join(stage, "dist/web")]);
  run(process.execPath, ["packaging/bundle.ts", join(stage, "dist")]);
  for (const file of ["openapi.json", "rpc.json"]) {
    cpSync(join(root, "gen", file), join(stage, "gen", file));
  }
});
