/**
 * Generates the clients of every language and runs their examples against one live server on a real
 * Redis. Some languages only: `npm run test:clients -- go java`.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { catalogue, type Reason } from "../../src/errors.ts";
import { startRedisServer } from "../support/redis-server.ts";
import { run } from "./command.ts";
import { createOperator, type Fixture, pacedAfterMs, serverSettings } from "./fixture.ts";
import { type Check, type Language, languages } from "./languages.ts";
import { startServer } from "./live-server.ts";

const root = join(import.meta.dirname, "../..");

async function build({ needs, build }: Language): Promise<string | undefined> {
  for (const { command, install } of needs) {
    if (!(await run(command, root)).succeeded) {
      return `\`${command.join(" ")}\` fails: install ${install}`;
    }
  }
  for (const command of build) {
    const { succeeded, output } = await run(command, root);
    if (!succeeded) {
      return `\`${command.join(" ")}\` fails:\n${output}`;
    }
  }
  return;
}

/** Reasons that the clients are not checked with, each with why. Every other one they all have to meet. */
const notForClients: Partial<Readonly<Record<Reason, string>>> = {
  IDEMPOTENCY_KEY_IN_USE: "takes two requests at the same instant",
  BATCH_OVER_LIMIT: "takes an account with smaller limits than those of any plan",
  SERVICE_UNKNOWN: "is of grpc.health.v1, of which no client is generated here",
  HEALTH_WATCH_LIMIT_REACHED: "is of grpc.health.v1, of which no client is generated here",
  SERVER_DRAINING: "takes a server that shuts down",
  SERVER_OVERLOADED: "takes more load than an example should cause",
  WATCH_LIMIT_REACHED: "takes more watches than an example should open",
  WATCH_CAPACITY_REACHED: "takes more watches than an example should open",
  WATCH_EXPIRED: "takes a feed that has forgotten changes",
  WATCH_TOO_SLOW: "takes a client that does not read",
  MESSAGE_INVALID: "a generated client sends what the contract asks for",
  NOT_SUPPORTED: "a generated client calls what there is, as it is to be called",
  DEADLINE_EXCEEDED: "a library keeps its deadline itself, and does not await the server's word",
  CLIENT_LEFT: "is told to nobody: the client has left",
  INTERNAL: "takes a bug",
};

/** Reasons that not every client of a language was refused with, though they are for clients. */
function missingReasons(checks: readonly Check[]): string[] {
  const met = Object.keys(catalogue)
    .filter((reason) => !(reason in notForClients))
    .map((reason) => {
      const whole = new RegExp(`(?<![A-Z]_?)${reason}(?!_?[A-Z])`);
      return [reason, checks.filter(({ name }) => whole.test(name)).length] as const;
    });
  const clients = Math.max(1, ...met.map(([, times]) => times));
  return met.filter(([, times]) => times < clients).map(([reason]) => reason);
}

async function test(folder: string, language: Language, fixture: Fixture): Promise<Check[]> {
  await fixture.lastMinute();
  const cwd = join(import.meta.dirname, folder);
  const { succeeded, output } = await run(language.test, cwd, fixture.environment);
  const all = output.split("\n").flatMap((line) => language.read(line) ?? []);
  // A Go test that holds others is told of besides them.
  const checks = all.filter(({ name }) => !all.some((other) => other.name.startsWith(`${name}/`)));
  const missing = missingReasons(checks);
  if (missing.length > 0) {
    checks.push({
      name:
        `every client is refused with ${missing.join(", ")}: add a check to each client in ` +
        `test/clients/${folder}, or tell in \`notForClients\` of run.ts why there is none`,
      passed: false,
    });
  }
  if (!succeeded || checks.some(({ passed }) => !passed)) {
    checks.push({ name: `all examples pass\n${output}`, passed: false });
  }
  return checks;
}

async function runAll(folders: readonly string[]): Promise<Check[]> {
  const redis = await startRedisServer();
  const gone = await startRedisServer();
  const server = await startServer({ ...serverSettings, REDIS_URL: redis.url });
  const down = await startServer({ REDIS_URL: gone.url });
  await gone.stop();
  const operator = await createOperator(server.url, redis.url, down.url);

  async function runLanguage(folder: string, index: number): Promise<Check[]> {
    const language = languages[folder];
    if (!language) {
      throw new Error(`no language ${folder}: choose of ${Object.keys(languages).join(", ")}`);
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
    await Promise.all([server.stop(), down.stop()]);
    await redis.stop();
  }
}

const chosen = process.argv.slice(2);
const checks = await runAll(chosen.length > 0 ? chosen : Object.keys(languages));
const failed = checks.filter(({ passed }) => !passed).length;
process.stdout.write(`${checks.length - failed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
