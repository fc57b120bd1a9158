import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { deliverEach, relaySelector } from "../../src/cli/follow/relay.ts";
import { placeKey } from "../../src/stores/redis/keys.ts";
import { type StockChange, unknownOrigin } from "../../src/stores/stock-change.ts";
import { directoryOfTest } from "../support/directory.ts";
import { urlOfService } from "../support/stores.ts";
import { runHere } from "./command-line.ts";
import { nth, numbersIn, origin, useFollow } from "./follow.ts";
import { secret, startReceiver, status } from "./receiver.ts";

const { redis, stores, change, once } = useFollow();

const variables = { RELAY_SECRET: secret, ADMIN_ADDR: "" };

/** Runs a relay that ends with 410 at the n-th delivery. */
async function relayUntil(deliveries: number, ...options: string[]) {
  const receiver = await startReceiver();
  for (let at = 1; at < deliveries; at += 1) receiver.next.push(status(200));
  receiver.own.always = status(410);
  const args = ["history relay", "erp", "--to", receiver.url, ...options];
  const outcome = await runHere(args, { redisUrl: redis.url, variables });
  expect(receiver.faults).toEqual([]);
  return { receiver, ...outcome, lines: linesOf(outcome.stdout) };
}

function linesOf(stdout: string): Record<string, unknown>[] {
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

describe("history relay", () => {
  test("sends each change as a watch has it, signed and in order, and ends with 410: exit code 9", async () => {
    await change(2);
    await stores().inventory.change({ petId: 7n, quantity: 3 }, { origin });
    await stores().catalog.remove(7n, origin);
    const { receiver, code, stderr, lines } = await relayUntil(4, "--from-beginning");
    expect([code, stderr]).toEqual([9, expect.stringContaining(`410 to version ${nth(4)}`)]);
    expect(receiver.versions().map(Number)).toEqual([1, 2, 3, 4].map(nth));
    expect(JSON.parse(receiver.bodies[2] ?? "")).toEqual({
      type: "inventory.changed",
      timestamp: "2026-07-15T10:20:30.400Z",
      data: {
        version: nth(3),
        petId: 7,
        quantityBefore: expect.any(Number),
        quantityAfter: 3,
        status: "sold",
        changedAt: "2026-07-15T10:20:30.400Z",
        ...origin,
        reason: "arrival",
      },
    });
    expect(receiver.deliveries[3]?.data).not.toHaveProperty("quantityAfter");
    expect(lines).toMatchObject([{ msg: "relay begins", relay: "erp", version: "0", isNew: true }]);
  });

  test("continues after the last confirmed change, and logs each failure", async () => {
    await change(3);
    expect((await relayUntil(2, "--from-beginning")).code).toBe(9);
    const receiver = await startReceiver();
    receiver.next.push(status(500));
    receiver.own.always = status(410);
    const args = ["history relay", "erp", "--to", receiver.url];
    const { stdout } = await runHere(args, { redisUrl: redis.url, variables });
    expect(receiver.versions().map(Number)).toEqual([nth(2), nth(2)]);
    expect(receiver.bodies[0]).toBe(receiver.bodies[1]);
    expect(linesOf(stdout)).toMatchObject([
      { msg: "relay begins", version: `${nth(1)}`, isNew: false },
      {
        msg: "a change was not delivered: retrying",
        level: 40,
        relay: "erp",
        version: `${nth(2)}`,
        attempt: 1,
        reason: "HTTP 500",
        delayMs: expect.any(Number),
      },
    ]);
  });

  test("has a place of its own, other than that of history follow with its name", async () => {
    await change(1);
    await relayUntil(1, "--from-beginning");
    await once();
    expect((await redis.client.keys("*place:*")).toSorted()).toEqual([
      placeKey("history:archive"),
      placeKey("relay:erp"),
    ]);
    expect(numbersIn(await once())).toEqual([]);
  });

  test("sends only selected changes, and keeps the place after the others", async () => {
    const { catalog, inventory } = stores();
    await catalog.put([{ petId: 1n, quantity: 6, status: PetStatus.AVAILABLE }]);
    for (const quantity of [4, 3, 9, 5, 4, 5]) await inventory.change({ petId: 1n, quantity });
    const { receiver } = await relayUntil(2, "--from-beginning", "--below", "5");
    expect(receiver.versions().map(Number)).toEqual([nth(2), nth(6)]);
  });

  test("runs as the user of redis-acl", async () => {
    await change(1);
    const receiver = await startReceiver();
    receiver.own.always = status(410);
    const args = ["history relay", "erp", "--to", receiver.url, "--from-beginning"];
    const redisUrl = await urlOfService(redis.client, redis.url);
    expect(await runHere(args, { redisUrl, variables })).toMatchObject({ code: 9 });
  });

  test("reads the secret from a file", async () => {
    await change(1);
    const file = join(directoryOfTest(), "secret");
    await writeFile(file, `${secret}\n`);
    const receiver = await startReceiver();
    receiver.own.always = status(410);
    const args = ["--from-beginning", "--secret-file", file, "--to", receiver.url];
    const outcome = await runHere(["history relay", "erp", ...args], {
      redisUrl: redis.url,
      variables: { ADMIN_ADDR: "" },
    });
    expect([outcome.code, receiver.faults]).toEqual([9, []]);
  });

  test.each([
    [["--to", "ftp://erp.example"], variables, "--to"],
    [["--to", "http://user:word@erp.example"], variables, "--to"],
    [["--to", "erp"], variables, "--to"],
    [[], variables, "--to"],
    [["--to", "http://erp.example"], { ADMIN_ADDR: "" }, "RELAY_SECRET"],
    [["--to", "http://erp.example", "--secret-file", "/a/file"], variables, "both set"],
    [["--to", "http://erp.example"], { ...variables, RELAY_SECRET: "x" }, "RELAY_SECRET"],
    [["--to", "http://erp.example", "--reason", "gift"], variables, "gift"],
    [["--to", "http://erp.example", "--status", "gone"], variables, "--status"],
    [["--to", "http://erp.example", "--below", "0"], variables, "--below"],
    [["--to", "http://erp.example", "--below", "2147483648"], variables, "from 1 to 2147483647"],
    [["--to", "http://erp.example"], { ...variables, LOG_LEVEL: "loud" }, "LOG_LEVEL"],
  ])("%j with %j: exit code 2", async (options, env, named) => {
    const outcome = await runHere(["history relay", "erp", ...options], {
      redisUrl: redis.url,
      variables: env,
    });
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining(named) });
  });
});

const crossing: StockChange = {
  ...unknownOrigin,
  version: 2n,
  petId: 1n,
  quantityBefore: 5,
  quantityAfter: 4,
  statusBefore: PetStatus.AVAILABLE,
  status: PetStatus.SOLD,
  previousVersion: 1n,
  changedAt: 0,
  reason: ChangeReason.ORDER,
};

test("no change is pending in a relay that has lost its lease, wherever that is", async () => {
  const pending: (number | undefined)[] = [];
  const setPending = (changedAt: number | undefined) => void pending.push(changedAt);
  const lost = async () => {
    throw new Error("lost");
  };
  const failing = deliverEach([crossing], lost, setPending);
  await expect(Array.fromAsync(failing)).rejects.toThrow("lost");
  for await (const _ of deliverEach([crossing], async () => {}, setPending)) break;
  expect(pending).toEqual([0, undefined, 0, undefined]);
});

describe("the selection of a relay", () => {
  test.each([
    [{}, {}, true],
    [{ below: 5 }, {}, true],
    [{ below: 4 }, {}, false],
    [{ below: 6 }, {}, false],
    [{ below: 5 }, { quantityBefore: 4, quantityAfter: 5 }, false],
    [{ below: 5 }, { quantityAfter: undefined }, false],
    [{ below: 5 }, { quantityBefore: undefined }, false],
    [{ status: "available" }, {}, true],
    [{ status: "sold" }, {}, true],
    [{ status: "pending" }, {}, false],
    [{ reason: ["order"] }, {}, true],
    [{ reason: ["import", "order"] }, {}, true],
    [{ reason: ["import"] }, {}, false],
    [{ below: 5, status: "pending" }, {}, false],
  ])("%j of a change with %j: %j", (selection, differs, expected) => {
    expect(relaySelector(selection)({ ...crossing, ...differs } as StockChange)).toBe(expected);
  });
});
