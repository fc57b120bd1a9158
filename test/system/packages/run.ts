/**
 * Builds the clients of all languages once, installs each into an empty project without the network, and runs programs
 * against a server: through a proxy that loses responses, with a server that refuses calls, in Chromium, and the samples of
 * the reference page.
 *
 * To run only some languages: `npm run task packages -- go java`.
 * To run only some parts: `npm run task packages -- --part samples` (programs, samples or browser).
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { testInBrowser } from "./browser.ts";
import type { Check } from "./check.ts";
import { exercise, readme } from "./exercise.ts";
import { type Installed, install, retryRules } from "./installed.ts";
import { packages } from "./packages.ts";
import { type RunningService, startService } from "./running-service.ts";
import { prepareSamples, runSamples, type Samples } from "./samples.ts";

const root = join(import.meta.dirname, "../../..");
/** Builds, and then tests, that run at the same time: one for each core of a small machine. */
const atOnce = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { part: { type: "string", multiple: true } },
});
const languages = positionals.length > 0 ? positionals : Object.keys(packages);
const parts = new Set(values.part ?? ["programs", "samples", "browser"]);

/** A package with what its tests need. */
interface Ready {
  readonly installed: Installed;
  /** The server that has the data of the samples. */
  readonly service?: RunningService;
  readonly samples?: Samples;
}

async function prepare(language: string): Promise<Ready> {
  const own = packages[language];
  if (!own || !parts.has("samples")) return { installed: await install(language, {}) };
  const service = await startService(root);
  const samples = await prepareSamples(own, service);
  return { installed: await install(language, samples.files), service, samples };
}

async function test(ready: Ready): Promise<Check[]> {
  const { installed, samples } = ready;
  if (installed.fault) return [["the package is built and installed", false, installed.fault]];
  const checks: Check[] = [["the package is built, and installed without the network", true]];
  const service = ready.service ?? (await startService(root));
  try {
    if (samples) checks.push(await runSamples(installed, samples, service));
    if (installed.language === "typescript" && parts.has("browser")) {
      checks.push(...(await testInBrowser(installed)));
    }
    if (!parts.has("programs")) return checks;
    checks.push(await retryRules(installed));
    checks.push(...(await exercise(installed, service)));
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

const startedAt = performance.now();
function took(what: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`     ${what} after ${seconds} s\n`);
}

const nameOf = (language: string) => packages[language]?.name ?? language;
const ready = new Map<string, Ready>();
let passed = 0;
let failed = 0;
try {
  // First all builds: compilers would slow the tests down, which have time limits. The slowest build begins.
  await each(languages.toReversed(), async (language) => {
    ready.set(language, await prepare(language));
    took(`${nameOf(language)} was built`);
  });
  await each(languages, async (language) => {
    const own = ready.get(language);
    if (!own) throw new Error(`${nameOf(language)} was not built`);
    for (const [name, isMet, details] of await test(own)) {
      process.stdout.write(`${isMet ? "ok  " : "FAIL"} ${nameOf(language)}: ${name}\n`);
      if (isMet) passed++;
      else failed++;
      if (!isMet) process.stdout.write(`${format(details)}\n`);
    }
    took(`${nameOf(language)} was tested`);
  });
} finally {
  for (const { installed, service } of ready.values()) {
    await service?.stop();
    await installed.remove();
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
