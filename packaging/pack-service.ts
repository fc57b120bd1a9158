/**
 * Builds the npm package of the service: `npm run task pack-service -- FOLDER`. It has JavaScript, because Node.js strips no
 * types below `node_modules`. It depends on the package of the gateway, which pack-gateway.ts builds.
 */
import { cpSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { packNpm, readManifest, root, run } from "./npm-package.ts";

const { name, version, description, license, repository, bugs, type, engines, dependencies } =
  readManifest(root);
const manifest = {
  ...{ name, version, description, license, repository, bugs, type, engines },
  files: ["src", "gen", "dist", "CHANGELOG.md"],
  // npx runs the command that has the name of the package.
  bin: { "inventory-service": "src/service.js", inventory: "src/cli/start.js" },
  dependencies,
};

packNpm(root, manifest, (stage) => {
  run("tsc", ["-p", "tsconfig.package.json", "--outDir", stage]);
  for (const folder of ["src", "gen"]) copyOtherFiles(folder, stage);
  run(process.execPath, ["packages/console/build.ts", join(stage, "dist/web")]);
  writeFileSync(join(stage, "src/service.js"), '#!/usr/bin/env node\nimport "./start.js";\n');
});

/** Copies scripts of Redis and documents. The compiler writes the other files. */
function copyOtherFiles(folder: string, stage: string): void {
  cpSync(join(root, folder), join(stage, folder), {
    recursive: true,
    filter(path) {
      const file = relative(root, path);
      return !/\.(ts|md)$/.test(file) && !file.endsWith("start.js");
    },
  });
}
