import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { reasonOf } from "../../../src/contract/errors.ts";
import { serverDraining } from "../../../src/contract/server-errors.ts";
import { storeUnavailable } from "../../../src/stores/errors.ts";
import { expectError, stock, useContract } from "../../contract/support.ts";
import { memoryKind, nthVersion } from "../../support/stores.ts";
import { grpc, ndjson, startWatch, type Watch, watchProtocols } from "../../support/watch.ts";
import { startWatches } from "./support.ts";

const first = nthVersion(stock.length);

async function opened(watch: Watch): Promise<Watch> {
  await watch.reached(first);
  return watch;
}

describe("limits on watches", () => {
  const contract = useContract(memoryKind, {
    MAX_WATCHES_PER_KEY: "2",
    MAX_WATCHES_PER_ACCOUNT: "3",
    MAX_WATCHES: "4",
  });
  const open = (secret = contract.own.secret, protocol = ndjson) =>
    startWatch(protocol, { url: contract.server.url, secret });

  describe.each(watchProtocols)("by $name", (protocol) => {
    test("resource_exhausted beyond the limit of a key, until one of its watches ends", async () => {
      const before = await opened(open());
      await opened(open());
      expect(await open(contract.own.secret, protocol).failure()).toMatchObject({
        code: Code.ResourceExhausted,
        rawMessage: expect.stringContaining(
          "2 open watches, the most allowed (MAX_WATCHES_PER_KEY)",
        ),
      });
      before.disconnect();
      await expect
        .poll(async () => {
          const watch = open(contract.own.secret, protocol);
          return watch.reached(first).then(
            () => "open",
            () => "refused",
          );
        })
        .toBe("open");
    });
  });

  test("429 without Retry-After beyond the limit of a key, because waiting does not help", async () => {
    await opened(open());
    await opened(open());
    const reply = await contract.send("GET /v1/inventory:watch");
    expectError(reply, 429, "resource_exhausted", "MAX_WATCHES_PER_KEY");
    expect(reply.headers).not.toHaveProperty("retry-after");
    expect(Number(reply.headers["x-ratelimit-remaining"])).toBeGreaterThan(0);
  });

  test("429 beyond the limit of an account, with any of its keys", async () => {
    const [second, third] = [await contract.newKey(), await contract.newKey()];
    await opened(open());
    await opened(open());
    await opened(open(second.secret));
    const authorization = `Bearer ${third.secret}`;
    const reply = await contract.send("GET /v1/inventory:watch", { authorization });
    expectError(reply, 429, "resource_exhausted", "MAX_WATCHES_PER_ACCOUNT");
  });

  test("503 with Retry-After beyond the bound of the process, for every account", async () => {
    const other = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const more = await contract.newKey();
    await opened(open());
    await opened(open());
    await opened(open(more.secret));
    await opened(open(other.secret));
    const authorization = `Bearer ${other.secret}`;
    const reply = await contract.send("GET /v1/inventory:watch", { authorization });
    expectError(reply, 503, "resource_exhausted", "MAX_WATCHES");
    expect(reply.headers["retry-after"]).toBe("5");
    expect(reasonOf(await open(other.secret, grpc).failure())).toBe("WATCH_CAPACITY_REACHED");
  });

  test("the RPC error has the reason WATCH_LIMIT_REACHED", async () => {
    await opened(open());
    await opened(open());
    expect(reasonOf(await open(contract.own.secret, grpc).failure())).toBe("WATCH_LIMIT_REACHED");
  });

  test("410 for an unknown resume token, and the request does not count as a watch", async () => {
    for (let time = 0; time < 5; time += 1) {
      const reply = await contract.send("GET /v1/inventory:watch?resumeToken=99999");
      expectError(reply, 410, "out_of_range");
    }
    await opened(open());
  });

  test("200 for HEAD, which does not count as a watch", async () => {
    for (let time = 0; time < 5; time += 1) {
      expect((await contract.send("HEAD /v1/inventory:watch")).status).toBe(200);
    }
    await opened(open());
  });
});

describe("a watch, called in the process", () => {
  async function setUp() {
    const reading = { fails: false };
    const watches = await startWatches(
      ({ inventory }) => ({
        inventory: {
          ...inventory,
          async page(after, most) {
            if (reading.fails) throw storeUnavailable(new Error("down"));
            return inventory.page(after, most);
          },
        },
      }),
      { maxPerKey: 1 },
    );
    return { reading, ...watches };
  }

  test("no longer counts if its first read fails", async () => {
    const { reading, watch } = await setUp();
    reading.fails = true;
    for (let time = 0; time < 3; time += 1) {
      await expect(watch().next()).rejects.toMatchObject({ code: Code.Unavailable });
    }
    reading.fails = false;
    expect((await watch().next()).done).toBe(false);
  });

  test("is refused during a drain, and does not count", async () => {
    const { service, watch } = await setUp();
    service.stop();
    for (let time = 0; time < 3; time += 1) {
      await expect(watch().next()).rejects.toMatchObject({
        rawMessage: serverDraining().rawMessage,
      });
    }
  });

  test("ends before its first read if the drain begins first", async () => {
    const { service, call } = await setUp();
    const { messages, controller } = call();
    const next = messages.next();
    service.stop();
    await expect(next).rejects.toMatchObject({ rawMessage: serverDraining().rawMessage });
    expect(controller.signal.aborted).toBe(true);
  });

  test("no longer counts as soon as its call ends, even with an unread message", async () => {
    const { call, watch } = await setUp();
    const { messages, controller } = call();
    await messages.next();
    await expect(watch().next()).rejects.toMatchObject({ code: Code.ResourceExhausted });
    controller.abort();
    expect((await watch().next()).done).toBe(false);
  });
});
