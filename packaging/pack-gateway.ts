/**
 * Builds the npm package of the gateway: `npm run task pack-gateway -- FOLDER`. It has JavaScript with its types, and the
 * sources, to which the source maps point.
 */
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packNpm, readManifest, root, run } from "./npm-package.ts";

const folder = join(root, "packages/connect-gateway");
const compilerOptions = {
  // What the oldest Node has that the manifest allows.
  target: "es2024",
  lib: ["es2024", "esnext.array", "esnext.iterator"],
  noEmit: false,
  rootDir: ".",
  outDir: "dist",
  declaration: true,
  declarationMap: true,
  sourceMap: true,
  rewriteRelativeImportExtensions: true,
};

const { exports: sources, ...manifest } = readManifest(folder);
/** The entries of the package: compiled code in place of `./src/index.ts`. */
const exports = Object.fromEntries(
  Object.entries(sources as Record<string, string>).map(([entry, source]) => {
    const compiled = source.replace("./", "./dist/").replace(/\.ts$/, "");
    return [entry, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
  }),
);
const files = ["dist", "src", "gen", "example", "CHANGELOG.md"];

packNpm(folder, { ...manifest, exports, files }, (stage) => {
  const filter = (path: string) => !path.endsWith(".md");
  for (const each of ["src", "gen", "package.json"]) {
    cpSync(join(folder, each), join(stage, each), { recursive: true, filter });
  }
  const isSource = (path: string) => !/\/(dist|gen|node_modules)$/.test(path);
  cpSync(join(folder, "example"), join(stage, "example"), { recursive: true, filter: isSource });
  // Compiled where the sources are in the package, because source maps have relative paths.
  symlinkSync(join(root, "node_modules"), join(stage, "node_modules"));
  const project = {
    extends: join(root, "tsconfig.json"),
    compilerOptions,
    include: ["src", "gen"],
  };
  writeFileSync(join(stage, "tsconfig.json"), JSON.stringify(project));
  run("tsc", ["-p", stage]);
});
