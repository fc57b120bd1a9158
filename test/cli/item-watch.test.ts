import { PassThrough } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { WatchInventoryResponseSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { run } from "../../src/cli/program.ts";
import { serverEvents, storeEvents } from "../../src/cli/session/stock-events.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { storeKinds, useRedis } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";
import { runHere, succeedHere } from "./command-line.ts";

/** A command that runs in this process. */
interface Running {
  /** Everything that it has printed so far. */
  readonly printed: { stdout: string; stderr: string };
  readonly code: Promise<number>;
}

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  terminal: { isTTY?: true; rows?: number; columns?: number } = {},
): Running {
  const printed = { stdout: "", stderr: "" };
  const stdout = Object.assign(new PassThrough(), terminal);
  const stderr = new PassThrough();
  stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.stdout += text;
  });
  stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.stderr += text;
  });
  const code = run(args, { env, stdin: new PassThrough(), stdout, stderr, showsProgress: false });
  return { printed, code };
}

/** Waits until a watch sees changes. */
function watching({ printed }: Running): Promise<true> {
  return until("the watch", () => printed.stderr.includes("watching") || undefined);
}

function linesOf({ printed }: Running) {
  return printed.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("items watch on Redis", () => {
  const redis = useRedis();
  const inventory = (...args: string[]) => succeedHere(args, { redisUrl: redis.url });

  /** Starts a watch, and waits until it sees changes. */
  async function startWatch(...options: readonly string[]): Promise<Running> {
    const watch = start(["items", "watch", ...options], { REDIS_URL: redis.url });
    await watching(watch);
    return watch;
  }

  /** Starts a watch on a terminal, and waits for its first drawing. */
  async function startDrawing(limit: string, columns: number): Promise<Running> {
    const terminal = { isTTY: true, rows: 10, columns } as const;
    const args = ["items", "watch", "--limit", limit];
    const watch = start(args, { REDIS_URL: redis.url }, terminal);
    await until("the first drawing", () => watch.printed.stdout.includes("live") || undefined);
    return watch;
  }

  beforeEach(async () => {
    await redis.client.flushdb();
    await inventory("items create 5 --quantity 10 --status available");
    await inventory("items create 6 --quantity 1 --status sold");
  });

  test("prints each change as a line of JSON, and exits after --limit", async () => {
    const watch = await startWatch("--limit", "2");
    await inventory("items adjust 5 --by -3");
    await inventory("items delete 6");
    expect(await watch.code).toBe(0);
    expect(linesOf(watch)).toMatchObject([
      { petId: 5, quantityBefore: 10, quantityAfter: 7 },
      { petId: 6, quantityBefore: 1 },
    ]);
  });

  test.each([
    ["the given pet", ["6"]],
    ["the pet with --sku", ["--sku", "SM-106"]],
  ])("prints only changes of %s", async (_, options) => {
    await inventory("items update 6 --new-sku SM-106");
    const watch = await startWatch(...options, "--limit", "1");
    await inventory("items adjust 5 --by 1");
    await inventory("items adjust 6 --by 1");
    expect(await watch.code).toBe(0);
    expect(linesOf(watch)).toMatchObject([{ petId: 6, quantityAfter: 2 }]);
  });

  test("prints only changes of pets that fit the options before or after", async () => {
    const watch = await startWatch("--status", "sold", "--max", "4", "--limit", "3");
    await inventory("items adjust 5 --by -7");
    await inventory("items update 5 --status sold");
    await inventory("items adjust 6 --by 9");
    await inventory("items adjust 6 --by 1");
    await inventory("items update 5 --status pending");
    expect(await watch.code).toBe(0);
    expect(linesOf(watch)).toMatchObject([
      { petId: 5, quantityAfter: 3, status: "sold" },
      { petId: 6, quantityAfter: 10 },
      { petId: 5, quantityAfter: 3, status: "pending" },
    ]);
  });

  test("redraws a terminal with the pets that changed last, and shows the cursor at the end", async () => {
    const watch = await startDrawing("1", 60);
    expect(watch.printed.stdout).toMatch(/^ *6 +1 +\+1 +sold/m);
    await inventory("items adjust 5 --by -3");
    expect(await watch.code).toBe(0);
    const drawings = watch.printed.stdout.split("Inventory: ");
    expect(drawings.at(-1)).toMatch(/^ *5 +7 +-3 +available/m);
    expect(watch.printed.stdout.endsWith("\u001b[?25h")).toBe(true);
  });

  test("a terminal shows a pet that changes again above the others", async () => {
    const watch = await startDrawing("3", 60);
    await inventory("items adjust 5 --by -1");
    await inventory("items adjust 6 --by 1");
    await inventory("items adjust 5 --by -1");
    expect(await watch.code).toBe(0);
    const last = watch.printed.stdout.split("Inventory: ").at(-1) ?? "";
    expect([...last.matchAll(/^ *([56]) +\d/gm)].map(([, petId]) => petId)).toEqual(["5", "6"]);
  });

  test("a terminal shows names, also of pets that change later", async () => {
    await inventory("items update 5 --name", "Goldfish with a long tail", "--new-sku=FI-501");
    const watch = start(
      ["items", "watch", "--limit", "2"],
      { REDIS_URL: redis.url },
      { isTTY: true, rows: 10, columns: 80 },
    );
    const shows = (text: RegExp) => () => text.test(watch.printed.stdout) || undefined;
    await until("the name", shows(/^ *5 {2}Goldfish\S* wi\S*… +10 /m));
    await inventory("items create 9 --quantity 4 --status sold --name", "Hamster");
    await until("the other name", shows(/^ *9 {2}Hamster +4 /m));
    await inventory("items adjust --sku=FI-501 --by=1");
    expect(await watch.code).toBe(0);
    expect(Math.max(...watch.printed.stdout.split("\n").map((line) => line.length))).toBeLessThan(
      90,
    );
  });

  test("--output csv is a wrong command line: exit code 2", async () => {
    const { code, stderr } = await runHere(["items watch --output csv"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("must be table, json or ndjson")]);
  });
});

test("an outage is reported until Redis responds again, and only then its end", async () => {
  const stores = createMemoryStores();
  onTestFinished(() => stores.close());
  const outage = async () => {
    throw new ConnectError("no Redis", Code.Unavailable);
  };
  const replies = [() => stores.inventory.list(), outage, outage, () => stores.inventory.list()];
  const list = () => (replies.shift() ?? outage)();
  const readChanges = () => ({ next: outage, close() {} });
  const kinds: string[] = [];
  const stop = new AbortController();
  const events = storeEvents(
    { inventory: { ...stores.inventory, list }, readChanges },
    stop.signal,
  );
  for await (const { kind } of events) {
    kinds.push(kind);
    if (kinds.length === 5) stop.abort();
  }
  expect(kinds).toEqual(["connected", "lost", "lost", "lost", "connected"]);
});

test("changes that are made during an outage follow after it", async () => {
  const stores = createMemoryStores();
  onTestFinished(() => stores.close());
  await stores.catalog.create({ petId: 5n, quantity: 10, status: 1 });
  const readChanges = () => {
    const reader = stores.readChanges();
    let reads = 0;
    return {
      ...reader,
      async next(version: bigint) {
        reads += 1;
        if (reads > 1) return reader.next(version);
        await stores.inventory.change({ petId: 5n, delta: -3 });
        throw new ConnectError("no Redis", Code.Unavailable);
      },
    };
  };
  const { signal } = new AbortController();
  const kinds: string[] = [];
  for await (const event of storeEvents({ inventory: stores.inventory, readChanges }, signal)) {
    kinds.push(event.kind);
    if (event.kind !== "change") continue;
    expect(event.change).toMatchObject({ petId: 5n, quantityBefore: 10, quantityAfter: 7 });
    break;
  }
  expect(kinds).toEqual(["connected", "lost", "connected", "change"]);
});

test("an outage of the server's database is reported", async () => {
  const beats = [undefined, timestampFromMs(0), timestampFromMs(0), undefined];
  async function* watchInventory() {
    yield create(WatchInventoryResponseSchema, { event: { case: "ready", value: {} } });
    for (const staleSince of beats) {
      const value = staleSince ? { staleSince } : {};
      yield create(WatchInventoryResponseSchema, { event: { case: "heartbeat", value } });
    }
  }
  const { signal } = new AbortController();
  const kinds: string[] = [];
  for await (const { kind } of serverEvents({ watchInventory }, signal)) {
    kinds.push(kind);
    if (kinds.length === 3) break;
  }
  expect(kinds).toEqual(["connected", "lost", "connected"]);
});

test("resumes after the last event, and begins anew when the changes since then are gone", async () => {
  const tokens: string[] = [];
  async function* watchInventory({ resumeToken = "" }) {
    tokens.push(resumeToken);
    if (tokens.length === 2) throw new ConnectError("expired", Code.OutOfRange);
    const event = { case: "ready", value: {} } as const;
    yield create(WatchInventoryResponseSchema, { event, resumeToken: `after-${tokens.length}` });
    const beat = { case: "heartbeat", value: {} } as const;
    yield create(WatchInventoryResponseSchema, { event: beat });
  }
  const { signal } = new AbortController();
  for await (const { kind } of serverEvents({ watchInventory }, signal)) {
    if (kind === "connected" && tokens.length === 4) break;
  }
  expect(tokens).toEqual(["", "after-1", "", "after-3"]);
});

describe.each(storeKinds)("items watch --server, stores in $name", (kind) => {
  // Keys of watches are checked as often as heartbeats are sent.
  const server = useServer(kind, { WATCH_HEARTBEAT_MS: "1000" });
  const own = { apiKey: "", keyId: "" };

  beforeEach(async () => {
    const accountId = await addAccount(server.stores);
    const { secret, keyId } = await addKey(server.stores, accountId);
    Object.assign(own, { apiKey: secret, keyId });
    await server.stores.catalog.create({ petId: 5n, quantity: 10, status: 1 });
  });

  const watch = (...options: string[]) =>
    start(["items", "watch", "--server", server.url, ...options], {
      INVENTORY_API_KEY: own.apiKey,
    });

  test("prints changes, and not the stock before them", async () => {
    const started = watch("--limit", "1");
    await watching(started);
    await server.stores.inventory.change({ petId: 5n, delta: -3 });
    expect(await started.code).toBe(0);
    expect(linesOf(started)).toMatchObject([{ petId: 5, quantityAfter: 7 }]);
  });

  test("ends when the key is revoked: exit code 5", async () => {
    const started = watch();
    await watching(started);
    await server.stores.accounts.revokeKey(own.keyId);
    expect(await started.code).toBe(5);
    expect(started.printed.stderr).toMatch(/\nerror: .*revoked/);
  });
});
