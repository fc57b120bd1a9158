import { once } from "node:events";
import { createServer, type Server } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Stream,
} from "node:http2";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
} from "node:net";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { newApiKey } from "../../src/access/api-key.ts";
import { run } from "../../src/cli/program.ts";
import { probeServer } from "../../src/cli/session/server-probe.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { itemsFrom, placed } from "../support/stock.ts";
import { stopTimers } from "../support/stop-timers.ts";
import { storeKinds } from "../support/stores.ts";
import { freePort } from "../system/harness/redis-server.ts";
import { runHere, succeedHere } from "./command-line.ts";

describe.each(storeKinds)("commands with --server, stores in $name", (kind) => {
  const server = useServer(kind);
  const own = { accountId: "", keyId: "", apiKey: "" };

  beforeEach(async () => {
    own.accountId = await addAccount(server.stores);
    const scopes = ["admin", "inventory:read", "inventory:write", "inventory:audit"] as const;
    const { secret, keyId } = await addKey(server.stores, own.accountId, { scopes });
    Object.assign(own, { apiKey: secret, keyId });
  });

  const onServer = (...words: readonly string[]) => [...words, "--server", server.url];
  const succeed = (...words: readonly string[]) =>
    succeedHere(onServer(...words), { apiKey: own.apiKey });
  const json = async (...words: readonly string[]) =>
    JSON.parse(await succeed(...words, "--output=json"));

  test("accounts are renamed, disabled, enabled and deleted; not that of the key", async () => {
    const { accountId } = await json("accounts create --name Shop --plan free");
    await succeed("accounts rename", accountId, "Zoo");
    expect(await json("accounts disable", accountId)).toMatchObject({ name: "Zoo" });
    expect(await json("accounts enable", accountId)).not.toHaveProperty("disabledAt");
    expect(await succeed("accounts delete", accountId, "--yes")).toMatch(/^deleted .*\(Zoo\)/);
    expect(await json("accounts list")).toHaveLength(1);
    const words = onServer("accounts delete", own.accountId, "--yes");
    const { code, stderr } = await runHere(words, { apiKey: own.apiKey });
    expect(code).not.toBe(0);
    expect(stderr).toContain("cannot be deleted with one of its own keys");
  });

  test("items receive adds refused rows when the cause is gone", async () => {
    const receive = () => runHere(onServer("items receive 7=3"), { apiKey: own.apiKey });
    for (const _ of [1, 2]) expect(await receive()).toMatchObject({ code: 4 });
    await server.stores.catalog.put(itemsFrom(7n, 1, 1));
    expect(await receive()).toMatchObject({ code: 0, stderr: "" });
    expect((await receive()).stderr).toContain("nothing was changed: 1 row");
    expect(await server.stores.inventory.get(7n)).toMatchObject({ quantity: 4 });
  });

  test("items receive waits for the request limit", async () => {
    const { stores, clock } = server;
    await stores.catalog.put(itemsFrom(1n, 1_000, 0));
    const shop = await addAccount(stores, { plan: "free" }, "bbbbbbbbbbbb");
    const { secret } = await addKey(stores, shop);
    const rows = (first: number, last: number) =>
      Array.from({ length: last + 1 - first }, (_, index) => `${first + index}=1`);
    const receive = (...texts: string[]) =>
      runHere(onServer("items receive", ...texts), { apiKey: secret });
    // Of the 60 requests of a minute, the rows count as 50, and the others as 20.
    expect(await receive(...rows(1, 1_000))).toMatchObject({ code: 0, stderr: "" });
    clock.now += 60_000;
    const receiving = receive(...rows(1, 400));
    await expect.poll(() => server.records.map(({ reason }) => reason)).toContain("RATE_LIMITED");
    clock.now += 5_000;
    const { code, stderr } = await receiving;
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^waiting \d s: the account's request/),
    ]);
    expect(await stores.inventory.get(400n)).toMatchObject({ quantity: 2 });
  });

  test("orders are listed, advanced and cancelled", async () => {
    await succeed("items create 5 --quantity 10 --status available");
    const first = await placed(server.stores.orders, own.accountId, 5n, 1);
    const second = await placed(server.stores.orders, own.accountId, 5n, 2);
    expect(await json("orders list")).toHaveLength(2);
    await succeed("orders advance", own.accountId, `${first.orderId}`, "delivered");
    await succeed("orders cancel", own.accountId, `${second.orderId}`);
    expect(await json("items show 5")).toMatchObject({ quantity: 9 });
    expect(await json("items set 5 3 --expect 9")).toMatchObject({ quantity: 3 });
    expect(await json("items list --max 3")).toHaveLength(1);
    expect(await json("keys list")).toMatchObject([{ keyId: own.keyId }]);
  });

  test("a strict account can change items; setting a quantity needs --expect", async () => {
    await succeed("items create 5 --quantity 10 --status available");
    expect(await json("accounts write-policy", own.accountId, "strict")).toMatchObject({
      writePolicy: "strict",
    });
    expect(await json("items adjust 5 --by -1")).toMatchObject({ quantity: 9 });
    expect(await json("items set 5 3 --expect 9")).toMatchObject({ quantity: 3 });
    const words = onServer("items set 5 4");
    const { code, stderr } = await runHere(words, { apiKey: own.apiKey });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/write policy of the account is strict.*; --expect: can be sent/);
    expect(await json("items show 5")).toMatchObject({ quantity: 3 });
  });

  test("usage is shown: of the key's account, of an account, of the busiest ones; and bans", async () => {
    expect(await json("usage")).toMatchObject({
      accountId: own.accountId,
      minute: { limit: 60, remaining: 59 },
    });
    expect(await succeed("usage")).toMatch(
      /58 of 60 requests left in this minute.*\nDAY +ADMITTED +LIMITED +BANNED\n2026-07-15 +2 +0 +0\n/s,
    );
    const usage = await json("accounts usage", own.accountId);
    expect(usage.lastDays.at(-1).requests.admitted).toBe(3);
    expect(await json("accounts usage")).toMatchObject([
      { account: { accountId: own.accountId }, today: { admitted: 4 } },
    ]);
    expect(await json("accounts usage --refused")).toEqual([]);
    expect(await json("bans list")).toEqual([]);
    const { code, stderr } = await runHere(onServer("accounts usage", own.accountId, "--refused"), {
      apiKey: own.apiKey,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("remove it, or the account id")]);
  });

  test("items are created, changed, exported and removed, and their history has the key", async () => {
    await succeed("items create 5 --quantity 10 --status available");
    await succeed("items adjust 5 --by -3 --note sold");
    await succeed("items update 5 --status sold");
    expect(await succeed("items export")).toBe("petId,name,sku,quantity,status\n5,,,7,sold\n");
    expect(await json("items history 5 --limit 1")).toMatchObject([{ petId: 5, keyId: own.keyId }]);
    await succeed("items delete 5");
    expect(await json("items export")).toEqual([]);
  });

  test("the audit trail has the key and not an operator", async () => {
    await succeed("accounts create --name Shop --plan free");
    const lines = (await succeed("audit list --method CreateAccount --output ndjson"))
      .trim()
      .split("\n");
    for (const line of lines) {
      expect(line).toContain(own.keyId);
      expect(line).not.toContain('"operator"');
    }
  });

  test("a request that the server rejects names the option, the reason and the request: exit code 2", async () => {
    const { code, stdout, stderr } = await runHere(
      onServer("accounts create --name", "", "--plan", "free"),
      { apiKey: own.apiKey },
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: --name: .* \(reason FIELD_INVALID, request id [\w-]+\)\n$/);
  });
});

const someKey = newApiKey("7k2mq0x4v9ab");

/** Listens on a free port until the test ends. @returns host and port */
async function listening(server: Server | TcpServer | Http2Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ["http", "the server there does not speak HTTP/2 without TLS"],
  ["https", "the server there does not use TLS"],
])("%s: to a server of HTTP/1.1 says what is wrong: exit code 8", async (scheme, why) => {
  const url = `${scheme}://${await listening(createServer())}`;
  const { code, stderr } = await runHere(["usage --server", url], { apiKey: someKey });
  expect([code, stderr]).toEqual([8, expect.stringContaining(`cannot connect to ${url}: ${why}`)]);
});

test("a server that accepts connections and is silent is reported after 1.2 s: exit code 8", async () => {
  stopTimers();
  const silent = createTcpServer((socket) => {
    vi.advanceTimersByTime(1_200);
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
  });
  const url = `http://${await listening(silent)}`;
  const { code, stderr } = await runHere(["usage --server", url], { apiKey: someKey });
  expect([code, stderr]).toEqual([
    8,
    `error: --server: cannot connect to ${url}: it accepts connections, but did not respond within 1.2 s. Start the service there, or correct the URL\n`,
  ]);
});

test("a server is called although this process pauses for longer than the wait", async () => {
  const server = createHttp2Server();
  server.on("connection", () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300);
  });
  const url = `http://${await listening(server)}`;
  expect(await probeServer(url, {}, 1_200)).toBeUndefined();
});

test("a call without a response is reported after 1.2 s", async () => {
  stopTimers();
  const stalled = createHttp2Server();
  stalled.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    vi.advanceTimersByTime(1_200);
    noticed.then(() => stream.respond({ ":status": 503 }, { endStream: true }));
  });
  stalled.on("session", (session) => onTestFinished(() => session.destroy()));
  const url = `http://${await listening(stalled)}`;
  const stderr = new PassThrough();
  const noticed = once(stderr, "data").then(([text]) => `${text}`);
  const code = await run(["usage", "--server", url], {
    env: { INVENTORY_API_KEY: someKey },
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
    showsProgress: false,
  });
  expect([await noticed, code]).toEqual([
    `waiting for the server: ${url} has not responded yet\n`,
    8,
  ]);
});

test("a server that refuses connections is reported before that time: exit code 8", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  stopTimers();
  const { code, stderr } = await runHere(["accounts list --server", url], { apiKey: someKey });
  expect({ code, stderr }).toEqual({
    code: 8,
    stderr: expect.stringMatching(
      /^error: --server: cannot connect to http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED .*Start the service there/,
    ),
  });
});
