/**
 * Bundles the service and its command line: `npm run build` writes `dist/start.js` and `dist/cli/start.js`, or below the
 * folder that the command line names. They need nothing else but `gen/openapi.json`, `gen/rpc.json` and `dist/web`.
 */
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { licensesOf } from "../packages/console/bundled-licenses.ts";

const root = join(import.meta.dirname, "..");
const target = resolve(process.argv[2] ?? join(root, "dist"));
/** As deep as the folders of `src`, because modules find other files relative to their own. */
const server = join(target, "server");

for (const folder of [server, join(target, "cli")])
  rmSync(folder, { recursive: true, force: true });

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { start: "src/start.js", "cli/start": "src/cli/start.js" },
  inject: ["packaging/source-maps.js"],
  // Source maps have the way from there to the sources, wherever the files are written.
  outdir: join(root, "dist"),
  write: false,
  chunkNames: "server/[name]-[hash]",
  bundle: true,
  // Parts that few processes need stay files of their own.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node26",
  // Packages in CommonJS load modules of Node by `require`.
  banner: {
    js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
  },
  // Names stay as they are, for stack traces and profiles.
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: "linked",
  sourcesContent: false,
  legalComments: "none",
  // Without it, esbuild would read tsconfig.json files.
  tsconfigRaw: {},
  logLevel: "warning",
  metafile: true,
  // The hash of a file depends on the paths of its parts, so `node_modules` may be a link.
  preserveSymlinks: true,
});

for (const { path, contents } of outputFiles) {
  const file = join(target, relative(join(root, "dist"), path));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, contents);
}
const scripts = join(root, "src/stores/redis");
for (const file of globSync("**/*.lua", { cwd: scripts })) {
  cpSync(join(scripts, file), join(server, file));
}
writeFileSync(join(server, "licenses.txt"), licensesOf(root, Object.keys(metafile.inputs)));

const bytes = Object.entries(metafile.outputs)
  .filter(([file]) => file.endsWith(".js"))
  .reduce((sum, [, output]) => sum + output.bytes, 0);
console.log(`dist/start.js, dist/cli/start.js: ${Math.ceil(bytes / 1024)} KiB with their parts`);
