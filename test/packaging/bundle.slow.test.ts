import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { itemsKey } from "../../src/stores/redis/keys.ts";
import { useDirectory } from "../support/directory.ts";
import { useRedis } from "../support/stores.ts";
import { runCommand, startChild } from "../system/harness/child.ts";
import { freePort } from "../system/harness/redis-server.ts";

const root = join(import.meta.dirname, "../..");
const installed = useDirectory();
const redis = useRedis("--appendonly", "yes");

beforeAll(() => {
  execFileSync(process.execPath, ["packaging/bundle.ts", join(installed, "dist")], { cwd: root });
  symlinkSync(join(root, "gen"), join(installed, "gen"));
  symlinkSync(join(root, "package.json"), join(installed, "package.json"));
});

function inventory(...args: readonly string[]): Readonly<Record<string, string>> {
  const command = [join(installed, "dist/cli/start.js"), ...args, "--output=json"];
  const env = { PATH: process.env.PATH, REDIS_URL: redis.url };
  return JSON.parse(
    execFileSync(process.execPath, command, { env, encoding: "utf8", stdio: "pipe" }),
  );
}

/** Starts the bundle with two workers. */
async function serve() {
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = startChild([process.execPath, "dist/start.js"], {
    cwd: installed,
    env: {
      PATH: process.env.PATH,
      REDIS_URL: redis.url,
      PORT: new URL(url).port,
      WORKERS: "2",
      ADMIN_ADDR: "",
    },
  });
  onTestFinished(async () => void (await child.end()));
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 20_000 }).toBe(true);
  return { url, child };
}

/** Makes this Node report an old version, which has no compile cache. */
const oldNode = `data:text/javascript,import m from "node:module";
  m.enableCompileCache=undefined;m.syncBuiltinESMExports();
  Object.defineProperty(process.versions,"node",{value:"20.11.0"})`.replaceAll(/\s+/g, " ");

test.each(["start.js", "cli/start.js"])("an older Node gets one line: %s", async (entry) => {
  const command = [process.execPath, "--import", oldNode, join(installed, "dist", entry)] as const;
  const { code, stderr } = await runCommand(command);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Node \d+ or newer is needed; this is 20\.11\.0\. .*\n$/),
  });
});

test("the bundle serves with workers, and its stack traces point at the sources", async () => {
  const { accountId = "" } = inventory("accounts", "create", "--name=shop", "--plan=free");
  const { key } = inventory("keys", "create", accountId);
  inventory("items", "create", "1", "--quantity=5", "--status=available");
  const { url, child } = await serve();
  const get = () => fetch(`${url}/v1/inventory/1`, { headers: { authorization: `Bearer ${key}` } });
  expect(await (await get()).json()).toMatchObject({ petId: 1, quantity: 5 });
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);

  await redis.client.hset(itemsKey, "1", "damaged");
  expect((await get()).status).toBe(500);
  const log = () => child.stdout.split("\n").find((line) => line.includes('"stack"')) ?? "";
  await expect.poll(log, { timeout: 5_000 }).toContain("stack");
  const traces = log();
  const [, file = "", line = ""] =
    /\(?([^\s()]*\/src\/stores\/[\w/.-]+\.ts):(\d+):\d+/.exec(traces) ?? [];
  expect(traces).not.toContain("/dist/server/");
  expect(file.startsWith(installed)).toBe(true);
  const source = readFileSync(join(root, file.slice(installed.length)), "utf8").split("\n");
  expect(source[Number(line) - 1]).toMatch(/\w\(/);
});

test("the bundle has its licenses, and all scripts of Redis", () => {
  const files = readdirSync(join(installed, "dist/server"), { recursive: true, encoding: "utf8" });
  const scripts = readdirSync(join(root, "src/stores/redis"), {
    recursive: true,
    encoding: "utf8",
  });
  expect(files).toEqual(expect.arrayContaining(scripts.filter((each) => each.endsWith(".lua"))));
  expect(readFileSync(join(installed, "dist/server/licenses.txt"), "utf8")).toMatch(/^pino \d/m);
});
