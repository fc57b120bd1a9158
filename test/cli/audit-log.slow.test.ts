import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lineKinds } from "../../src/observability/log/lines.ts";
import { useRedis } from "../support/stores.ts";
import { useCommandData } from "./command-data.ts";
import { runHere, runThere } from "./command-line.ts";

const redis = useRedis("--appendonly", "no");
const own = useCommandData(redis);
const variables = { SUDO_USER: "" };
const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url, variables });

describe("a command logs each of its entries once, on standard error", () => {
  test("calls of services", async () => {
    const args = ["accounts", "create", "--name", "inv_0123456789", "--plan", "free"];
    const created = await runThere(args, { redisUrl: redis.url, variables });
    expect(created.code).toBe(0);
    expect(await loggedIn(created.stderr)).toEqual(await stored());
    const [account = ""] = /\b[0-9a-z]{12}\b/.exec(created.stdout) ?? [];
    const key = await runThere(["keys create", account], { redisUrl: redis.url, variables });
    expect(await loggedIn(key.stderr)).toEqual((await stored()).slice(2));
    expect(created.stderr + key.stderr).not.toMatch(/inv_[0-9a-z]/);
  });

  test("changes of the data itself, and failures after the change began", async () => {
    await inventory("accounts create --name Zoo --plan free");
    const file = join(own.directory, "logged.gz");
    await inventory("backup", file);
    await redis.client.flushall();
    const restored = await runThere(["restore", file], { redisUrl: redis.url, variables });
    expect(await loggedIn(restored.stderr)).toEqual((await stored()).slice(2));
    const none = ["items", "adjust", "7", "--by", "3", "--output=json"];
    const failed = await runThere(none, { redisUrl: redis.url, variables });
    expect(failed.code).toBe(4);
    const lines = failed.stderr.trimEnd().split("\n");
    // The error is the last line, for programs.
    expect(JSON.parse(lines.at(-1) ?? "")).toHaveProperty("code", "not_found");
    expect(await loggedIn(lines.slice(0, -1).join("\n"))).toEqual((await stored()).slice(4));
  });

  test("nothing on a terminal, which no log shipper reads", async () => {
    expect((await inventory("items create 1 --quantity 1 --status sold")).stderr).toBe("");
  });

  /** The entries in lines of a log, each of which has exactly the members that a service writes. */
  async function loggedIn(lines: string): Promise<unknown[]> {
    return lines
      .trimEnd()
      .split("\n")
      .map((line) => {
        const { sequence, entry, ...others } = JSON.parse(line);
        expect(others).toEqual({
          level: 30,
          time: expect.stringMatching(/Z$/),
          msg: lineKinds.audit.message,
        });
        return { sequence, entry };
      });
  }

  async function stored(): Promise<unknown[]> {
    const { entries } = await own.stores.audit.read(1, 100);
    return entries.map(({ sequence, body }) => ({ sequence, entry: JSON.parse(body) }));
  }
});
