/**
 * Runs Schemathesis with all of its checks against the OpenAPI document of a server on a real Redis. Installs it into
 * a separate virtual environment. With `--quick`, as in CI, the run is shorter. Passes further arguments to
 * `schemathesis run`: `npm run task schemathesis -- --seed 1 --include-operation-id listInventory`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../harness/child.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import { startServer } from "../harness/server-process.ts";

const isQuick = process.argv.includes("--quick");
const options = process.argv.slice(2).filter((each) => each !== "--quick");

/** Time for generating requests, in seconds. */
const maxSeconds = isQuick ? 25 : 60;

const here = import.meta.dirname;
const bin = join(here, ".venv/bin");
const cli = join(here, "../../../src/cli/main.ts");

function install(): void {
  if (!existsSync(join(bin, "python"))) {
    execFileSync("python3", ["-m", "venv", join(here, ".venv")], { stdio: "inherit" });
  }
  const requirements = join(here, "requirements.txt");
  execFileSync(join(bin, "python"), ["-m", "pip", "install", "-q", "-r", requirements], {
    stdio: "inherit",
  });
}

/** Adds 20 pets and a key without practical limits. @returns the key */
function prepare(redisUrl: string): string {
  const run = (args: readonly string[], input = "") =>
    execFileSync(process.execPath, [cli, ...args], {
      env: { ...process.env, REDIS_URL: redisUrl },
      encoding: "utf8",
      input,
    });
  const rows = Array.from({ length: 20 }, (_, at) => `${at + 1},${100 * at},available\n`);
  run(["items", "import", "-", "--format", "csv"], `petId,quantity,status\n${rows.join("")}`);
  const limits = ["--per-minute", "1000000", "--per-day", "100000000"];
  const account = [
    "accounts",
    "create",
    "--name",
    "checks",
    "--plan",
    "enterprise",
    "--output=json",
  ];
  const { accountId } = JSON.parse(run([...account, ...limits]));
  const scopes = [
    "inventory:read",
    "inventory:write",
    "catalog:write",
    "store:read",
    "store:write",
  ].flatMap((scope) => ["--scope", scope]);
  return JSON.parse(run(["keys", "create", accountId, ...scopes, "--output=json"])).key;
}

/** Statuses that depend on the state of the stock: a request that was valid can get them, if its operation documents them. */
const ofState = ["304", "404", "409", "410", "412", "422"];

/** Writes the configuration, with the documented statuses of each operation. @returns its path */
function writeConfig(): string {
  const document = JSON.parse(readFileSync(join(here, "../../../gen/openapi.json"), "utf8"));
  const operations = Object.values<object>(document.paths)
    .flatMap((path) => Object.values(path))
    .filter(({ operationId }) => operationId)
    .map(({ operationId, responses }) => {
      const expected = ["2xx", ...ofState.filter((status) => status in responses).map(Number)];
      return `
[[operations]]
include-operation-id = "${operationId}"
checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(expected)}
`;
    });
  const path = join(here, ".venv/schemathesis.toml");
  const common = readFileSync(join(here, "schemathesis.toml"), "utf8");
  writeFileSync(path, common + operations.join(""));
  return path;
}

async function check(url: string, key: string): Promise<number> {
  const schema = ["--config-file", writeConfig(), "run", `${url}/openapi.json`];
  const checks = ["--checks", "all", "--max-time", String(maxSeconds), ...options];
  const env = { ...process.env, INVENTORY_API_KEY: key, SCHEMATHESIS_HOOKS: "hooks" };
  const command = [join(bin, "schemathesis"), ...schema, ...checks] as const;
  const { code } = await runCommand(command, { cwd: here, env, stdio: "inherit" });
  return code ?? 1;
}

install();
const redis = await startRedisServer();
const server = await startServer({
  REDIS_URL: redis.url,
  ANONYMOUS_PER_MINUTE: "1000000",
  ANONYMOUS_PER_DAY: "100000000",
  PETS_SUNSET: "2999-12-31",
});
try {
  process.exitCode = await check(server.url, prepare(redis.url));
} finally {
  await server.end();
  await redis.stop();
}
