/** Bundles the browser pages: `npm run build` writes `dist/web`, or the folder that the command line names. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { licensesOf } from "./bundled-licenses.ts";

const root = join(import.meta.dirname, "../..");
const target = resolve(process.argv[2] ?? join(root, "dist/web"));

/** The pages: each has a folder in `src` with `page.html`, `main.tsx` and `main.css`. */
const pages = ["console", "reference"];

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, "assets"), { recursive: true });

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: pages.flatMap((page) => [
    { in: `packages/console/src/${page}/main.tsx`, out: page },
    { in: `packages/console/src/${page}/main.css`, out: page },
  ]),
  outdir: join(target, "assets"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  minify: true,
  sourcemap: false,
  legalComments: "none",
  target: ["chrome120", "firefox121", "safari17"],
  // Without it, esbuild would read tsconfig.json files.
  tsconfigRaw: {},
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".md": "text" },
  logLevel: "warning",
  metafile: true,
  // The hash of a file depends on the paths of its parts, so `node_modules` may be a link.
  preserveSymlinks: true,
});

/** The path of each asset, by the name that the pages use for it: `/assets/console.js`. */
const paths = new Map<string, string>();
for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
  if (!entryPoint) continue;
  const name = basename(file);
  paths.set(`/assets/${name.replace(/-[^-.]+(?=\.\w+$)/, "")}`, `/assets/${name}`);
}
const licenses = licensesOf(root, Object.keys(metafile.inputs));
const licensesFile = `licenses-${createHash("sha256").update(licenses).digest("hex").slice(0, 8)}.txt`;
writeFileSync(join(target, "assets", licensesFile), licenses);
paths.set("/assets/licenses.txt", `/assets/${licensesFile}`);

for (const page of pages) {
  const html = readFileSync(join(import.meta.dirname, "src", page, "page.html"), "utf8");
  writeFileSync(join(target, `${page}.html`), withHashedNames(html));
}
const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(
  `${relative(root, target)}: ${pages.length} page(s), ${Math.ceil(bytes / 1024)} KiB of assets`,
);

/** Replaces the names of assets by those with hashes. @throws Error if a page names an asset that was not built */
function withHashedNames(html: string): string {
  return html.replace(/\/assets\/[\w.-]+/g, (name) => {
    const path = paths.get(name);
    if (path === undefined) {
      throw new Error(`page.html names ${name}, which the build does not write`);
    }
    return path;
  });
}
