/**
 * Builds the npm package of the service: `npm run task pack-service -- FOLDER`. It has JavaScript, because Node.js strips no
 * types below `node_modules`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
const target = resolve(process.argv[2] ?? ".");
const stage = mkdtempSync(join(tmpdir(), "inventory-service-package-"));

/** The sources of the browser pages. The package has the built pages instead. */
const browserSources = /^src\/web\/(console|reference|tsconfig\.json)(\/|$)/;

try {
  execFileSync("tsc", ["-p", "tsconfig.package.json", "--outDir", stage], {
    cwd: root,
    stdio: "inherit",
  });
  for (const folder of ["src", "gen"]) copyOtherFiles(folder);
  execFileSync(process.execPath, [join(root, "packaging/build-web.ts"), join(stage, "dist/web")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const file of ["LICENSE", "README.md", "CHANGELOG.md"]) {
    cpSync(join(root, file), join(stage, file));
  }
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest(), undefined, 2)}\n`);
  mkdirSync(target, { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--pack-destination", target], {
    cwd: stage,
    stdio: ["ignore", "inherit", "inherit"],
  });
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** Copies scripts of Redis and documents. The compiler writes the other files. */
function copyOtherFiles(folder: string): void {
  cpSync(join(root, folder), join(stage, folder), {
    recursive: true,
    filter(path) {
      const name = relative(root, path);
      return !/\.(ts|md)$/.test(name) && !name.endsWith("start.js") && !browserSources.test(name);
    },
  });
}

function manifest(): object {
  const { name, version, description, type, license, engines, dependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  // npx runs the command that has the name of the package.
  const bin = { "inventory-service": "src/service.js", inventory: "src/cli/start.js" };
  writeFileSync(join(stage, "src/service.js"), '#!/usr/bin/env node\nimport "./start.js";\n');
  return { name, version, description, license, type, engines, bin, dependencies };
}
