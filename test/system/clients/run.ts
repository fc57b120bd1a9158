/**
 * Generates the clients of every language, and runs their examples against a server on a real Redis.
 * To run only some languages: `npm run task clients -- go java`.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runCommand } from "../harness/child.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import { startServer } from "../harness/server-process.ts";
import { createOperator, type Fixture, pacedAfterMs } from "./fixture.ts";
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
    if (code !== 0) {
      return `\`${command.join(" ")}\` failed:\n${output}`;
    }
  }
  return;
}

async function test(folder: string, language: Language, fixture: Fixture): Promise<Check[]> {
  fixture.stopPacing();
  const cwd = join(import.meta.dirname, folder);
  const env = { ...process.env, ...fixture.environment };
  const { code, output } = await runCommand(language.test, { cwd, env });
  const all = output.split("\n").flatMap((line) => language.read(line) ?? []);
  // The output of Go also has a line for a test that only groups other tests.
  const checks = all.filter(({ name }) => !all.some((other) => other.name.startsWith(`${name}/`)));
  if (code !== 0 || checks.some(({ passed }) => !passed)) {
    checks.push({ name: `all examples pass\n${output}`, passed: false });
  }
  return checks;
}

async function runAll(folders: readonly string[]): Promise<Check[]> {
  const redis = await startRedisServer();
  const gone = await startRedisServer();
  const onLine = (line: string) => {
    if (/"level":[56]0/.test(line)) process.stderr.write(`the server logged: ${line}\n`);
  };
  const server = await startServer({ REDIS_URL: redis.url }, { onLine });
  const down = await startServer({ REDIS_URL: gone.url });
  await gone.stop();
  const operator = await createOperator(server.url, redis.url, down.url);

  async function runLanguage(folder: string, index: number): Promise<Check[]> {
    const language = languages[folder];
    if (!language) {
      throw new Error(
        `unknown language ${folder}: choose from ${Object.keys(languages).join(", ")}`,
      );
    }
    const fixture = await operator.prepare(index);
    const paced = delay(pacedAfterMs);
    const fault = await build(language);
    const checks = fault
      ? [{ name: fault, passed: false }]
      : await paced.then(() => test(folder, language, fixture));
    for (const { name, passed } of checks) {
      process.stdout.write(`${passed ? "ok  " : "FAIL"} ${language.name}: ${name}\n`);
    }
    return checks;
  }

  try {
    return (await Promise.all(folders.map(runLanguage))).flat();
  } finally {
    await Promise.all([server.end(), down.end()]);
    await redis.stop();
  }
}

const chosen = process.argv.slice(2);
const checks = await runAll(chosen.length > 0 ? chosen : Object.keys(languages));
const failed = checks.filter(({ passed }) => !passed).length;
process.stdout.write(`${checks.length - failed} checks passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
