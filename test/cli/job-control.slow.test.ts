import { beforeAll, describe, expect, test } from "vitest";
import { useRedis } from "../support/stores.ts";
import { freePort } from "../system/harness/redis-server.ts";
import { useServers } from "../system/harness/server-process.ts";
import { openTerminal, type Terminal } from "../system/harness/terminal.ts";
import { until } from "../system/harness/until.ts";
import { mainPath } from "./command-line.ts";

const redis = useRedis();
const servers = useServers();
const own = { admin: "" };

beforeAll(async () => {
  own.admin = `127.0.0.1:${await freePort()}`;
  await servers.start({ REDIS_URL: redis.url, ADMIN_ADDR: own.admin });
}, 30_000);

/** Commands that run until they are interrupted, and what they print when they run. */
const commands = {
  "items watch": /Inventory: live/,
  "history follow archive": /written, /,
  "audit follow archive": /written, /,
  "top --admin http://ADMIN": /Ctrl-C ends/,
};

/** Begins a command in a terminal and waits until it runs. */
async function begin(program: string, command: string, running: RegExp): Promise<Terminal> {
  const terminal = openTerminal({ REDIS_URL: redis.url });
  const line = command.replace("ADMIN", own.admin);
  terminal.type(`${program} ${line}; echo code=$?`);
  await terminal.printed(running);
  return terminal;
}

describe.each(Object.entries(commands))("%s", (command, running) => {
  test.each([["npm run --silent inventory --"], [`${process.execPath} ${mainPath}`]])(
    "ends at the first Ctrl-C with exit code 0, by %s",
    async (each) => {
      const terminal = await begin(each, command, running);
      terminal.interrupt();
      const interruptedAt = performance.now();
      await terminal.printed(/code=0/);
      expect(performance.now() - interruptedAt).toBeLessThan(2_000);
    },
  );

  test("ends with exit code 0 however often SIGINT arrives in a second", async () => {
    const shell = `sh -c 'echo pid=$$; exec ${process.execPath} ${mainPath} "$@"' sh`;
    const terminal = await begin(shell, command, running);
    const [, pid] = await terminal.printed(/pid=(\d+)/);
    await until("the command has ended", () => {
      try {
        return !process.kill(Number(pid), "SIGINT");
      } catch {
        return true;
      }
    });
    const [, code] = await terminal.printed(/code=(\d+)/);
    expect(code).toBe("0");
  });
});
