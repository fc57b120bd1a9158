import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { useRedis } from "../support/stores.ts";
import { freePort } from "../system/harness/redis-server.ts";
import { openTerminal, type Terminal } from "../system/harness/terminal.ts";
import { until } from "../system/harness/until.ts";

const redis = useRedis("--appendonly", "yes", "--appendfsync", "no");
beforeEach(() => redis.client.flushdb());

/** Starts the service in a terminal, and waits for a text that ends the welcome. */
async function start(command: string, end: RegExp, settings: NodeJS.ProcessEnv = {}) {
  const environment = { REDIS_URL: redis.url, PORT: String(await freePort()), ADMIN_ADDR: "" };
  const terminal = openTerminal({ ...environment, ...settings });
  terminal.type(command);
  await terminal.printed(end);
  return terminal;
}

/** Types commands in another terminal, and waits until it shows a text. */
async function typeElsewhere(lines: readonly string[], expected: RegExp): Promise<string[]> {
  const terminal = openTerminal({});
  for (const line of lines) terminal.type(line);
  return [...(await terminal.printed(expected))];
}

/** The lines of a screen that are indented: the commands to type. */
const commandsIn = (screen: string) =>
  [...screen.matchAll(/^ {2}(\S.*)$/gm)].map(([, line = ""]) => line);

/** Everything that a terminal shows. */
const screenOf = async (terminal: Terminal) =>
  (await terminal.printed(/[\s\S]*/))[0].replaceAll("\r", "");

// Each test starts several processes, one after the other.
describe("with Redis, on a terminal", { timeout: 60_000 }, () => {
  test("an empty service says how to create an account and a key, and these commands work", async () => {
    const terminal = await start("npm start", /start it with npm start -- --with-sample\s/);
    const screen = await screenOf(terminal);
    expect(screen).toMatch(/^Console: +http:\/\/127\.0\.0\.1:\d+\/\nDocumentation: http/m);
    expect(screen).not.toContain('{"');
    const [settings = "", createAccount = "", createKey = "", ...others] = commandsIn(screen);
    expect([settings, others]).toEqual([`export REDIS_URL=${redis.url}`, []]);
    const [, account = ""] = await typeElsewhere([settings, createAccount], /^id +(\w{12})\s/m);
    await typeElsewhere([settings, createKey.replace("ID", account)], /^key +inv_\w{45}\s/m);
    terminal.interrupt();
    await terminal.printed(/ info stopped reason=SIGINT/);

    const again = await start("npm start", /keys create ID\s/);
    const [, list = ""] = commandsIn(await screenOf(again));
    await typeElsewhere([settings, list], new RegExp(`^${account} `, "m"));
  });

  test("with a sample, two workers print one key, and a call whose response is a line of its own", async () => {
    const admin = await freePort();
    const settings = { WORKERS: "2", ADMIN_ADDR: `127.0.0.1:${admin}` };
    const terminal = await start(
      "npm start -- --with-sample",
      /shown only once\.[^\n]*\n/,
      settings,
    );
    const screen = await screenOf(terminal);
    const commands = commandsIn(screen);
    expect(screen.split(/inv_\w/)).toHaveLength(2);
    expect(screen.split("Inventory service on")).toHaveLength(2);
    expect(commands).toEqual([
      expect.stringMatching(/^export INVENTORY_API_KEY=inv_\w{45}$/),
      expect.stringContaining("$INVENTORY_API_KEY"),
    ]);
    await typeElsewhere(commands, /\[\{"petId":1,.*\}\]\r?\n/);
    await until(
      "both workers serve",
      async () => {
        const metrics = await fetch(`http://127.0.0.1:${admin}/metrics`);
        return (await metrics.text()).includes("\ninventory_workers 2\n");
      },
      20_000,
    );
    terminal.interrupt();
    await terminal.printed(/(?: info stopped worker=\d[^\n]*\n[\s\S]*){2}/);
    expect((await screenOf(terminal)).split("Inventory service on")).toHaveLength(2);

    const again = await start("npm start -- --with-sample", /keys create ID\s/);
    const second = await screenOf(again);
    expect(second).toContain("Redis has data already, so no sample data was loaded.");
    expect(second).not.toMatch(/inv_\w/);
  });

  test("with a password in a file, the commands work, too", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "inventory-")), "password");
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    writeFileSync(file, "secret");
    await redis.client.config("SET", "requirepass", "secret");
    try {
      const settings = { REDIS_PASSWORD_FILE: file };
      const terminal = await start(
        "npm start",
        /start it with npm start -- --with-sample\s/,
        settings,
      );
      const [url = "", password = "", createAccount = ""] = commandsIn(await screenOf(terminal));
      expect(password).toContain(file);
      await typeElsewhere([url, password, createAccount], /^id +(\w{12})\s/m);
    } finally {
      await redis.client.config("SET", "requirepass", "");
    }
  });

  test("a password is not shown", async () => {
    const withPassword = redis.url.replace("redis://", "redis://default:secret@");
    await redis.client.config("SET", "requirepass", "secret");
    try {
      const terminal = await start(
        `REDIS_URL=${withPassword} node src/start.js; echo done`,
        /the option --with-sample\s/,
      );
      const [, screen = ""] = (await screenOf(terminal)).split("Inventory service on");
      expect(screen).toContain("in another terminal, with the same settings of Redis:");
      expect(screen).toContain("  node src/cli/start.js keys create");
      expect(screen).not.toContain("secret");
    } finally {
      await redis.client.config("SET", "requirepass", "");
    }
  });
});
