/**
 * Builds the clients of all languages once, installs each into an empty project without the network, and runs programs
 * against a server: through a proxy that loses responses, with older and newer contracts, in Chromium, and the samples of
 * the reference page. Then the npm client of an earlier commit calls this server, and this one calls an earlier server.
 *
 * To run only some languages: `npm run task packages -- go java`.
 * To run only some parts: `npm run task packages -- --part samples` (programs, samples, browser or earlier).
 * With `--earlier client`, all clients are those of an earlier commit. With `--earlier server`, the server is.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkOut, earlierCommit, hasCommit } from "../support/earlier-version.ts";
import { testInBrowser } from "./browser.ts";
import type { Check } from "./check.ts";
import { exercise, readme } from "./exercise.ts";
import { type Installed, install, retryRules } from "./installed.ts";
import { packages } from "./packages.ts";
import { type RunningService, startService } from "./running-service.ts";
import { prepareSamples, runSamples, type Samples } from "./samples.ts";

const root = join(import.meta.dirname, "../..");
/** Builds, and then tests, that run at the same time: one for each core of a small machine. */
const atOnce = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { earlier: { type: "string" }, part: { type: "string", multiple: true } },
});
const languages = positionals.length > 0 ? positionals : Object.keys(packages);
const earlierSide = values.earlier;
if (earlierSide !== undefined && earlierSide !== "client" && earlierSide !== "server") {
  throw new Error("--earlier must be client or server");
}
const earlierOfAll: Pair["earlier"] = earlierSide;
const parts = new Set(values.part ?? ["programs", "samples", "browser", "earlier"]);

/** A client, and the server that it calls. */
interface Pair {
  readonly language: string;
  /** Which of the two is of an earlier commit. */
  readonly earlier?: "client" | "server" | undefined;
}

/** The pairs to test. Earlier versions are tested in full in the nightly run, and in one language in every run. */
function pairs(): Pair[] {
  if (earlierOfAll) return languages.map((language) => ({ language, earlier: earlierOfAll }));
  const all: Pair[] = languages.map((language) => ({ language }));
  if (!parts.has("earlier") || !languages.includes("typescript")) return all;
  if (!hasCommit(earlierCommit)) {
    process.stdout.write(
      `     earlier versions are skipped: a shallow clone lacks ${earlierCommit}\n`,
    );
    return all;
  }
  const language = "typescript";
  return [...all, { language, earlier: "client" }, { language, earlier: "server" }];
}

/** A package with what its tests need. */
interface Ready {
  readonly installed: Installed;
  /** The server that has the data of the samples. */
  readonly service?: RunningService;
  readonly samples?: Samples;
}

async function prepare(language: string, isEarlier: boolean, folder: string): Promise<Ready> {
  const own = packages[language];
  if (isEarlier || earlierOfAll || !own || !parts.has("samples")) {
    return { installed: await install(language, folder, {}) };
  }
  const service = await startService(root);
  const samples = await prepareSamples(own, service);
  return { installed: await install(language, folder, samples.files), service, samples };
}

async function test({ earlier }: Pair, ready: Ready, folderOfServer: string): Promise<Check[]> {
  const { installed, samples } = ready;
  if (installed.fault) return [["the package is built and installed", false, installed.fault]];
  const checks: Check[] = [["the package is built, and installed without the network", true]];
  const service = earlier || !ready.service ? await startService(folderOfServer) : ready.service;
  try {
    if (!earlier && samples) checks.push(await runSamples(installed, samples, service));
    if (!earlier && installed.language === "typescript" && parts.has("browser")) {
      checks.push(...(await testInBrowser(installed)));
    }
    if (!earlier && !parts.has("programs")) return checks;
    if (earlier !== "client") checks.push(await retryRules(installed));
    checks.push(...(await exercise(installed, service, earlier)));
    checks.push(await readme(installed, service));
    return checks;
  } finally {
    if (service !== ready.service) await service.stop();
  }
}

/** Calls a function for all items, for `atOnce` of them at the same time. */
async function each<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const format = (details: unknown) =>
  typeof details === "string" ? details : JSON.stringify(details, null, 1);

/** The name that the output has for a pair. */
function nameOf({ language, earlier }: Pair): string {
  const name = packages[language]?.name ?? language;
  return earlier ? `${name}, earlier ${earlier}` : name;
}

const startedAt = performance.now();
function took(what: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`     ${what} after ${seconds} s\n`);
}

const all = pairs();
const folders = new Map<"client" | "server", string>();
for (const { earlier } of all) {
  if (earlier && !folders.has(earlier)) folders.set(earlier, checkOut(earlierCommit, earlier));
}
/** By the key of {@link clientOf}. */
const ready = new Map<string, Ready>();
const clientOf = ({ language, earlier }: Pair) => `${language} ${earlier === "client"}`;
let passed = 0;
let failed = 0;
try {
  // First all builds: compilers would slow the tests down, which have time limits. The slowest build begins.
  const builds = new Map(all.toReversed().map((pair) => [clientOf(pair), pair]));
  await each([...builds], async ([key, pair]) => {
    const isEarlier = pair.earlier === "client";
    const folder = (isEarlier ? folders.get("client") : undefined) ?? root;
    ready.set(key, await prepare(pair.language, isEarlier, folder));
    took(`${nameOf(pair)} was built`);
  });
  await each(all, async (pair) => {
    const own = ready.get(clientOf(pair));
    if (!own) throw new Error(`${nameOf(pair)} was not built`);
    const server = (pair.earlier === "server" ? folders.get("server") : undefined) ?? root;
    for (const [name, isMet, details] of await test(pair, own, server)) {
      process.stdout.write(`${isMet ? "ok  " : "FAIL"} ${nameOf(pair)}: ${name}\n`);
      if (isMet) passed++;
      else failed++;
      if (!isMet) process.stdout.write(`${format(details)}\n`);
    }
    took(`${nameOf(pair)} was tested`);
  });
} finally {
  for (const { installed, service } of ready.values()) {
    await service?.stop();
    await installed.remove();
  }
  for (const folder of folders.values()) await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
