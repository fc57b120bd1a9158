/**
 * Generates the clients of every language, and runs their examples against a server on a real Redis: first with the contract
 * of the oldest release in `test/releases`, whose clients must work with this version, and then with the present one. To run
 * only some languages: `npm run task clients -- go java`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { runCommand } from "../harness/child.ts";
import { newDirectory } from "../harness/directory.ts";
import { startService } from "../packages/running-service.ts";
import { importPets, prepare } from "./fixture.ts";
import { type Check, type Contract, type Language, languages } from "./languages.ts";

const root = join(import.meta.dirname, "../../..");
const kept = join(root, "test/releases");
const scratch = newDirectory();

/** The contract that `npm run task keep-release` has kept of a release. */
function contractOf(release: string): Contract {
  const openapi = join(scratch, `openapi-${release}.json`);
  writeFileSync(openapi, gunzipSync(readFileSync(join(kept, release, "openapi.json.gz"))));
  return { image: join(kept, release, "contract.binpb.gz"), openapi };
}

async function build({ needs, build }: Language, contract: Contract): Promise<string | undefined> {
  for (const { command, install } of needs) {
    if ((await runCommand(command, { cwd: root })).code !== 0) {
      return `\`${command.join(" ")}\` failed. Install ${install}.`;
    }
  }
  for (const command of build(contract)) {
    const { code, output } = await runCommand(command, { cwd: root });
    if (code !== 0) return `\`${command.join(" ")}\` failed:\n${output}`;
  }
  return;
}

async function test(
  folder: string,
  language: Language,
  environment: Readonly<Record<string, string>>,
): Promise<Check[]> {
  const cwd = join(import.meta.dirname, folder);
  const env = { ...process.env, ...environment };
  const { code, output } = await runCommand(language.test, { cwd, env });
  const all = output.split("\n").flatMap((line) => language.read(line) ?? []);
  // The output of Go also has a line for a test that only groups other tests.
  const checks = all.filter(({ name }) => !all.some((other) => other.name.startsWith(`${name}/`)));
  if (code !== 0 || checks.length === 0 || checks.some(({ passed }) => !passed)) {
    checks.push({ name: `all examples pass\n${output}`, passed: false });
  }
  return checks;
}

/** @param label of the contract, for the output */
async function runAll(
  folders: readonly string[],
  label: string,
  contract: Contract,
): Promise<Check[]> {
  const { url, adminKey, stop } = await startService(root);

  async function runLanguage(folder: string, index: number): Promise<Check[]> {
    const language = languages[folder];
    if (!language) {
      throw new Error(
        `unknown language ${folder}: choose from ${Object.keys(languages).join(", ")}`,
      );
    }
    const environment = await prepare(url, adminKey, index);
    const fault = await build(language, contract);
    const checks = fault
      ? [{ name: fault, passed: false }]
      : await test(folder, language, environment);
    for (const { name, passed } of checks) {
      process.stdout.write(`${passed ? "ok  " : "FAIL"} ${language.name}, ${label}: ${name}\n`);
    }
    return checks;
  }

  try {
    await importPets(url, adminKey);
    return (await Promise.all(folders.map(runLanguage))).flat();
  } finally {
    await stop();
  }
}

const chosen = process.argv.slice(2);
const folders = chosen.length > 0 ? chosen : Object.keys(languages);
const checks: Check[] = [];
// The programs use only what the oldest contract has, so later ones would show nothing more.
const [oldest = ""] = readdirSync(kept)
  .filter((name) => /^\d/.test(name))
  .sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
checks.push(...(await runAll(folders, `contract of ${oldest}`, contractOf(oldest))));
// Last, so that the generated code that stays is that of the present contract.
checks.push(...(await runAll(folders, "present contract", { openapi: "gen/openapi.json" })));
const failed = checks.filter(({ passed }) => !passed).length;
process.stdout.write(`${checks.length - failed} checks passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
