import { writeFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { placeKey } from "../../src/stores/redis/keys.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useServer } from "../support/server.ts";
import { storeKinds, useRedis } from "../support/stores.ts";
import { useCommandData } from "./command-data.ts";
import { failed, outcomeOf, runHere, startThere, succeedHere } from "./command-line.ts";

const redis = useRedis("--appendonly", "no");
const own = useCommandData(redis);
const operator = `${userInfo().username}@${hostname()}`;

const variables = { SUDO_USER: "" };
const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url, variables });
const succeeding = (...args: string[]) => succeedHere(args, { redisUrl: redis.url, variables });

/** The entries of the trail, oldest first. */
async function trail(): Promise<readonly Record<string, unknown>[]> {
  const { entries } = await own.stores.audit.read(undefined, 100);
  return entries.map(({ body }) => JSON.parse(body));
}

async function newAccount(): Promise<string> {
  const printed = await succeeding("accounts create --name Zoo --plan free --output=json");
  return JSON.parse(printed).accountId;
}

describe("commands are recorded", () => {
  test("a change, with the user and the host", async () => {
    const accountId = await newAccount();
    const common = {
      actor: { user: userInfo().username, host: hostname() },
      request: expect.stringMatching(/^[0-9a-f-]{36}$/),
      method: "admin.v1.AdminService/CreateAccount",
      details: { name: "Zoo", plan: "PLAN_FREE" },
    };
    expect(await trail()).toEqual([
      { kind: "begin", ...common },
      { kind: "end", of: 1, ...common, result: { code: "ok" }, returned: { account: accountId } },
    ]);
  });

  test("the user behind sudo", async () => {
    await runHere(["items create 1 --quantity 2 --status sold"], {
      redisUrl: redis.url,
      variables: { SUDO_USER: "ann" },
    });
    expect((await trail())[0]?.actor).toMatchObject({ sudo: "ann" });
  });

  test("changes of other services, repairs and restore; no reads", async () => {
    const accountId = await newAccount();
    await succeeding("items create 1 --quantity 2 --status sold");
    await succeeding("items adjust 1 --by 3 --note found");
    await inventory("items adjust 7 --by 3");
    await succeeding("accounts show", accountId);
    await succeeding("audit list");
    await succeeding("verify");
    await succeeding("verify --repair");
    const file = join(own.directory, "backup.gz");
    await succeeding("backup", file);
    await redis.client.flushall();
    await succeeding("restore", file);
    const rows = (await trail()).map(({ method, kind, result }) => [
      String(method).replace(/^.*\//, ""),
      kind,
      (result as { code: string } | undefined)?.code,
    ]);
    expect(rows).toEqual(
      [
        ["CreateAccount", "ok"],
        ["CreatePet", "ok"],
        ["AdjustInventory", "ok"],
        ["AdjustInventory", "not_found"],
        ["inventory verify", "ok"],
        ["inventory restore", "ok"],
      ].flatMap(([method, code]) => [
        [method, "begin", undefined],
        [method, "end", code],
      ]),
    );
    expect(await succeeding("verify")).toContain("verified 1 item");
  });

  test("a killed command leaves its change without a result", async () => {
    const path = join(own.directory, "rows.csv");
    const rows = Array.from({ length: 50_000 }, (_, at) => `${at + 1},1,sold`);
    await writeFile(path, `petId,quantity,status\n${rows.join("\n")}\n`);
    const running = startThere(["items import", path], redis.url);
    const size = () => redis.client.hlen("inv:{stock}:items");
    await expect.poll(size, { timeout: 15_000, interval: 1 }).toBeGreaterThan(0);
    running.kill("SIGKILL");
    await outcomeOf(running);
    expect(await size()).toBeLessThan(rows.length);
    expect(await trail()).toMatchObject([{ kind: "begin" }]);
    const [, row] = (await succeeding("audit list")).split("\n");
    expect(row).toMatch(/^ +1 .* ImportPets +no result$/);
  });
});

describe("audit list", () => {
  test("prints a row for each call", async () => {
    const accountId = await newAccount();
    await succeeding("accounts set-plan", accountId, "pro");
    await inventory("keys revoke", `${accountId}aaaaaaaa`);
    const list = await runHere(["audit list"], {
      redisUrl: redis.url,
      variables: { COLUMNS: "150" },
    });
    const lines = list.stdout.trimEnd().split("\n");
    expect(
      lines.map((line) =>
        line
          .trim()
          .replace(/\d{4}-\S+Z/, "TIME")
          .split(/ {2,}/),
      ),
    ).toEqual([
      ["ENTRY", "TIME", "ACTOR", "METHOD", "TARGETS", "RESULT"],
      ["6", "TIME", operator, "RevokeKey", `key ${accountId}aaaaaaaa`, "not_found KEY_NOT_FOUND"],
      ["4", "TIME", operator, "SetPlan", `account ${accountId}`, "ok"],
      ["2", "TIME", operator, "CreateAccount", `account ${accountId}`, "ok"],
    ]);
  });

  test("filters by method, actor and time, and limits the number", async () => {
    const accountId = await newAccount();
    await succeeding("accounts set-plan", accountId, "pro");
    const count = async (...options: string[]) =>
      JSON.parse(await succeeding("audit list --output=json", ...options)).length;
    expect(await count()).toBe(4);
    expect(await count("--method", "SetPlan")).toBe(2);
    expect(await count("--actor", operator)).toBe(4);
    expect(await count("--actor", "nobody")).toBe(0);
    expect(await count("--after", "1h")).toBe(4);
    expect(await count("--before", "1h")).toBe(0);
    expect(await count("--limit", "3")).toBe(3);
  });

  test("prints NDJSON, newest first", async () => {
    await newAccount();
    const printed = await succeeding("audit list --output ndjson");
    const lines = printed
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ sequence }) => sequence)).toEqual([2, 1]);
    expect(lines.map(({ entry }) => entry).reverse()).toEqual(await trail());
  });

  test.each([
    '{"kind":"end","method":"x","of":1.5}',
    '{"kind":"end","method":"x","of":"a"}',
    '{"kind":"end","method":"x","actor":5}',
    '{"kind":"end","method":"x","actor":{"user":5}}',
    '{"kind":"end","method":"x","result":[]}',
    '{"kind":"refused","method":"x","refused":{"keys":5}}',
  ])("lists the other entries if somebody has written %s", async (body) => {
    const accountId = await newAccount();
    await redis.client.xadd("inv:{audit}:entries", "3-0", "time", "5", "body", body);
    await succeeding("accounts set-plan", accountId, "pro");
    const filtered = JSON.parse(await succeeding("audit list --actor", operator, "--output=json"));
    expect(filtered).toHaveLength(4);
    expect(await succeeding("audit list")).toContain("CreateAccount");
  });
});

test.each([
  ["1h", "2h"],
  ["1h", "1h"],
  ["2026-07-15T10:20:00+02:00", "2026-07-15T08:20:00"],
])("audit list --after %s --before %s says that the range is empty", async (after, before) => {
  const outcome = await inventory("audit list --after", after, "--before", before);
  expect(outcome).toMatchObject(
    failed(2, expect.stringMatching(/^error: --before: must be later than --after: it is 20/)),
  );
});

describe("audit follow", () => {
  const follow = (name: string, ...options: string[]) =>
    inventory("audit follow", name, "--once", ...options);
  const parsed = (lines: string) =>
    lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("prints each entry once", async () => {
    const accountId = await newAccount();
    const first = await follow("archive", "--from-beginning");
    await succeeding("accounts set-plan", accountId, "pro");
    const second = await follow("archive");
    const lines = parsed(first.stdout + second.stdout);
    expect(lines.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(lines.map(({ entry }) => entry)).toEqual(await trail());
    expect((await follow("archive")).stdout).toBe("");
  });

  test("begins with new entries, also if there are none", async () => {
    expect((await follow("early")).stdout).toBe("");
    await newAccount();
    expect(parsed((await follow("early")).stdout)).toHaveLength(2);
  });

  test("exit code 3 if the trail was replaced", async () => {
    await newAccount();
    await follow("replaced");
    const place = await redis.client.get(placeKey("audit:replaced"));
    await redis.client.flushall();
    await newAccount();
    await newAccount();
    await redis.client.set(placeKey("audit:replaced"), `${place}`);
    const { code, stderr } = await follow("replaced");
    expect([code, stderr]).toEqual([3, expect.stringContaining("the entries after 2")]);
  });

  test("exit code 3 if entries were removed, until --from-now", async () => {
    await newAccount();
    await follow("gap");
    const short = openRedisStores(redis.url, { auditLength: 2 });
    for (let at = 0; at < 6; at += 1) await short.audit.append('{"kind":"call","method":"x"}');
    expect(await follow("gap")).toMatchObject({ code: 3, stdout: "" });
    expect(await follow("gap", "--from-now")).toMatchObject({ code: 0, stdout: "" });
    await short.audit.append('{"kind":"call","method":"x"}');
    await short.close();
    expect(parsed((await follow("gap")).stdout)).toMatchObject([{ sequence: 9 }]);
  });
});

describe.each(storeKinds)("with --server, stores in $name", (kind) => {
  const server = useServer(kind);
  const apiKey = async () => {
    const accountId = await addAccount(server.stores);
    return (await addKey(server.stores, accountId, { scopes: ["admin"] })).secret;
  };

  test("list reads the trail of the server", async () => {
    const key = await apiKey();
    const there = (...args: string[]) =>
      succeedHere(["audit", ...args, "--server", server.url], { apiKey: key });
    for (let at = 0; at < 3; at += 1)
      await server.stores.audit.append('{"kind":"call","method":"x"}');
    // The first read is recorded after it.
    expect(JSON.parse(await there("list", "--output=json"))).toHaveLength(3);
  });
});
