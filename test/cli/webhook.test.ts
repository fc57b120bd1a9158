import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createDelivery } from "../../src/cli/follow/deliver.ts";
import { messageOf } from "../../src/cli/follow/relay.ts";
import { createSend, type Outcome, parseSecrets } from "../../src/cli/follow/webhook.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { accept, type Behavior, secret, startReceiver, status } from "./receiver.ts";

const message = { id: "7", body: '{"type":"inventory.changed","data":{}}' };
const secrets = parseSecrets("RELAY_SECRET", secret);
/** Longer than a busy machine needs. */
const timeoutMs = 10_000;

async function outcomeOf(behavior: Behavior, limitMs = timeoutMs): Promise<Outcome> {
  const receiver = await startReceiver();
  receiver.next.push(behavior);
  const outcome = await createSend(new URL(receiver.url), secrets, limitMs)(message);
  expect(receiver.faults).toEqual([]);
  expect(receiver.bodies).toEqual([message.body]);
  return outcome;
}

describe("an attempt", () => {
  test.each([
    ["204", accept],
    ["200 with a body", (response) => response.end("thanks")],
    ["200 with a huge body", (response) => endless(response)],
    [
      "200 with a body that is cut",
      (response) => {
        response.writeHead(200, { "content-length": 9 }).write("a");
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ] satisfies [string, Behavior][])("succeeds with %s", async (_, behavior) => {
    expect(await outcomeOf(behavior)).toBe("delivered");
  });

  test("ends in time, with the status if it has arrived", async () => {
    const silent = await outcomeOf(() => {}, 300);
    expect(silent).toEqual({ reason: "no response within 0.3 s", retryAfterMs: 0 });
    const endlessBody: Behavior = (response) => response.writeHead(200).write("a");
    expect(await outcomeOf(endlessBody, 1_500)).toBe("delivered");
  });

  test("ends the relay with 410", async () => {
    expect(await outcomeOf(status(410))).toBe("gone");
  });

  test.each([
    ["500", status(500), "HTTP 500", 0],
    ["400", status(400), "HTTP 400", 0],
    ["429 with Retry-After", status(429, { "retry-after": "7" }), "HTTP 429", 7_000],
    [
      "503 with a very long Retry-After",
      status(503, { "retry-after": "999999" }),
      "HTTP 503",
      3_600_000,
    ],
    [
      "503 with an enormous Retry-After",
      status(503, { "retry-after": "9".repeat(400) }),
      "HTTP 503",
      3_600_000,
    ],
    [
      "503 with a Retry-After in the past",
      status(503, { "retry-after": "Mon, 01 Jan 2001 00:00:00 GMT" }),
      "HTTP 503",
      0,
    ],
    [
      "503 with a Retry-After that is no time",
      status(503, { "retry-after": "soon" }),
      "HTTP 503",
      0,
    ],
    [
      "302",
      status(302, { location: "http://127.0.0.1:1/" }),
      "HTTP 302: redirects are not followed",
      0,
    ],
    [
      "a reset",
      (response) => response.socket?.resetAndDestroy(),
      expect.stringMatching(/ECONNRESET|other side closed/),
      0,
    ],
    ["500 with a huge body", (response) => endless(response, 500), "HTTP 500", 0],
  ] satisfies [string, Behavior, unknown, number][])(
    "fails with %s",
    async (_, behavior, reason, retryAfterMs) => {
      expect(await outcomeOf(behavior)).toEqual({ reason, retryAfterMs });
    },
  );

  test("waits until the date of Retry-After", async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const outcome = await outcomeOf(status(503, { "retry-after": date }));
    const { retryAfterMs } = outcome as Exclude<Outcome, string>;
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  test("fails with a receiver that is not there, or speaks no HTTP", async () => {
    const server = createTcpServer((socket) =>
      socket.end("SSH-2.0\r\n", () => socket.destroy()),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const send = createSend(new URL(`http://127.0.0.1:${port}`), secrets, timeoutMs);
    expect(await send(message)).toMatchObject({ reason: expect.stringMatching(/\w/) });
    server.close();
    await once(server, "close");
    expect(await send(message)).toMatchObject({ reason: expect.stringContaining("ECONNREFUSED") });
  });

  test("has a signature by each secret", async () => {
    const receiver = await startReceiver();
    const two = parseSecrets("file", `whsec_${"a".repeat(44)}\n${secret}\n`);
    expect(await createSend(new URL(receiver.url), two)(message)).toBe("delivered");
  });
});

function endless(response: Parameters<Behavior>[0], code = 200): void {
  response.writeHead(code);
  const more = () => {
    while (response.write(Buffer.alloc(65_536)));
  };
  response.on("drain", more);
  onTestFinished(() => void response.destroy());
  more();
}

describe("a delivery", () => {
  /** Delivers with these outcomes. @returns the failures, and the pauses */
  async function deliver(outcomes: Outcome[], random = () => 0) {
    const failures: { attempt?: number | undefined }[] = [];
    const pauses: number[] = [];
    const results: string[] = [];
    const leases: number[] = [];
    const delivery = createDelivery({
      send: async () => outcomes.shift() ?? "delivered",
      onAttempt: (result) => void results.push(result),
      onFailure: (failure) => void failures.push(failure),
      pause: async (ms) => void pauses.push(ms),
      random,
    });
    const holdFor = async (ms: number) => void leases.push(ms);
    const error = await delivery(message, holdFor).catch((thrown: unknown) => thrown);
    return { failures, pauses, results, leases, error };
  }
  const failed = (retryAfterMs = 0): Outcome => ({ reason: "HTTP 500", retryAfterMs });

  test("is tried again with delays that grow up to 5 minutes", async () => {
    const { pauses, failures, results, leases } = await deliver(
      Array.from({ length: 12 }, () => failed()),
    );
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((s) => s * 1_000));
    expect(failures.map(({ attempt }) => attempt)).toEqual(pauses.map((_, at) => at + 1));
    expect(failures[2]).toEqual({ version: "7", attempt: 3, reason: "HTTP 500", delayMs: 4_000 });
    expect(results).toEqual([...pauses.map(() => "failed"), "delivered"]);
    // Each attempt begins only if the lease lasts longer than it.
    expect(leases).toEqual(results.map(() => 16_000));
  });

  test("is delayed by chance, by at least half", async () => {
    const { pauses } = await deliver([failed(), failed(), failed()], () => 1);
    expect(pauses).toEqual([500, 1_000, 2_000]);
  });

  test("honours Retry-After", async () => {
    const { pauses } = await deliver([failed(7_000), failed(500)]);
    expect(pauses).toEqual([7_000, 2_000]);
  });

  test("ends with 410", async () => {
    const { error, pauses } = await deliver([failed(), "gone"]);
    expect(error).toMatchObject({
      code: "gone",
      exitCode: 9,
      message: expect.stringContaining("410"),
    });
    expect(pauses).toEqual([1_000]);
  });
});

test("the largest message is smaller than 64 KiB", () => {
  const widest = "\u0001";
  const change = {
    ...unknownOrigin,
    version: 2n ** 63n - 1n,
    petId: 2n ** 63n - 1n,
    quantityBefore: 2_147_483_647,
    quantityAfter: 2_147_483_647,
    changedAt: 253_402_300_799_999,
    note: widest.repeat(500),
    reference: widest.repeat(100),
    requestId: widest.repeat(128),
  };
  const { body, id } = messageOf(change as never);
  expect(id).toBe("9223372036854775807");
  expect(Buffer.byteLength(body)).toBeLessThan(65_536);
});

test.each([
  ["", "has no secret"],
  ["whsec_", "must be whsec_"],
  ["whsec_c2hvcnQ=", "must be whsec_"],
  ["whsec_not base64", "must be whsec_"],
  [`whsec_${"a".repeat(100)}`, "must be whsec_"],
])("the secret %j is refused, and not shown", (text, why) => {
  const parse = () => parseSecrets("RELAY_SECRET", text);
  expect(parse).toThrow(why);
  if (text.length > 6) expect(parse).not.toThrow(text.slice(6));
});
