/**
 * Generates the clients of every language, and runs their examples against a server on a real Redis.
 * To run only some languages: `npm run task clients -- go java`.
 */
import { join } from "node:path";
import { runCommand } from "../harness/child.ts";
import { startService } from "../packages/running-service.ts";
import { importPets, prepare } from "./fixture.ts";
import { type Check, type Language, languages } from "./languages.ts";

const root = join(import.meta.dirname, "../../..");

async function build({ needs, build }: Language): Promise<string | undefined> {
  for (const { command, install } of needs) {
    if ((await runCommand(command, { cwd: root })).code !== 0) {
      return `\`${command.join(" ")}\` failed. Install ${install}.`;
    }
  }
  for (const command of build) {
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

async function runAll(folders: readonly string[]): Promise<Check[]> {
  const { url, adminKey, stop } = await startService(root);

  async function runLanguage(folder: string, index: number): Promise<Check[]> {
    const language = languages[folder];
    if (!language) {
      throw new Error(
        `unknown language ${folder}: choose from ${Object.keys(languages).join(", ")}`,
      );
    }
    const environment = await prepare(url, adminKey, index);
    const fault = await build(language);
    const checks = fault
      ? [{ name: fault, passed: false }]
      : await test(folder, language, environment);
    for (const { name, passed } of checks) {
      process.stdout.write(`${passed ? "ok  " : "FAIL"} ${language.name}: ${name}\n`);
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
const checks = await runAll(chosen.length > 0 ? chosen : Object.keys(languages));
const failed = checks.filter(({ passed }) => !passed).length;
process.stdout.write(`${checks.length - failed} checks passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
