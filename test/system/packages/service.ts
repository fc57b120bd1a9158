/**
 * Packs the service, installs it into an empty project, and runs the commands: `npm run task
 * packages-service`.
 */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { startChild } from "../harness/child.ts";
import { newDirectory } from "../harness/directory.ts";
import { npm, pack } from "./offline.ts";

/** Most bytes of the package, which has all that it needs. */
const mostBytes = 6 * 1024 * 1024;

const project = newDirectory();
writeFileSync(join(project, "package.json"), '{"private":true}');
npm(project, "install", "--offline", "--silent", "--no-audit", ...pack("service"));
const installed = readdirSync(join(project, "node_modules")).filter(
  (name) => !name.startsWith("."),
);
report("the package needs no other package", installed.join() === "inventory-service");
const version = npm(project, "exec", "--", "inventory", "--version").trim();
report(`the command has the version ${version}`, version === manifest.version);
const bytes = sizeOf(join(project, "node_modules"));
report(`the package has ${(bytes / 2 ** 20).toFixed(1)} MiB`, bytes <= mostBytes);
const help = npm(project, "exec", "--", "inventory", "--help");
report("`npx inventory --help` prints its commands", /^Usage: inventory/m.test(help));
report("`npx inventory-service` serves, and prints the URL of the console", await serves());

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Starts the service as npx does, calls it, and stops it. */
async function serves(): Promise<boolean> {
  const child = startChild([join(project, "node_modules/.bin/inventory-service")], {
    cwd: project,
    // Tracing loads packages that nothing else needs.
    env: { PATH: process.env.PATH, PORT: "0", OTEL_TRACES_EXPORTER: "otlp" },
  });
  // Without Redis, the service prints a key, and then a call to try.
  const url = await child.until(
    "the service serves",
    () => /curl .* (http\S+)\/v1\/inventory/.exec(child.stdout)?.[1],
  );
  const [, console = ""] = /^Console: +(http\S+)/m.exec(child.stdout) ?? [];
  const [, key] = /INVENTORY_API_KEY=(\S+)/.exec(child.stdout) ?? [];
  const [list, reference, opened] = await Promise.all([
    fetch(`${url}/v1/inventory`, { headers: { authorization: `Bearer ${key}` } }),
    fetch(`${url}/docs`),
    opens(console),
  ]);
  await child.end("SIGTERM");
  return reference.ok && list.ok && opened;
}

/** Whether a page and its scripts can be loaded. */
async function opens(page: string): Promise<boolean> {
  const html = await fetch(page).then((response) => response.text());
  const paths = html.match(/\/assets\/[\w.-]+\.js/g) ?? [];
  const scripts = await Promise.all(paths.map((path) => fetch(new URL(path, page))));
  return scripts.length > 0 && scripts.every(({ ok }) => ok);
}

function report(name: string, passed: boolean): void {
  process.stdout.write(`${passed ? "ok  " : "FAIL"} ${name}\n`);
  if (!passed) process.exitCode = 1;
}
