import { type Attack, createFindings, type Findings, type Target } from "./attack.ts";
import { ask, bearer, http1, isProper, proxyAddress } from "./wire.ts";

/** Time limit, in ms: far more than linear parsing of the largest request takes on a busy machine. */
const slowMs = 400;

async function expectFast(
  found: Findings,
  target: Target,
  what: string,
  bytes: Buffer,
  from?: string,
): Promise<void> {
  const { status, ms } = await ask(target, bytes, { ...(from && { from }), timeoutMs: 2_000 });
  found.expect(isProper(status), `${what}: status ${status}`);
  found.expect(ms < slowMs, `${what}: took more than ${slowMs} ms`);
}

const longPaths: readonly string[] = [
  ":".repeat(4_000),
  ":".repeat(15_000),
  "v1/inventory/1".padEnd(15_000, ":"),
  "v1/inventory".padEnd(15_000, ":a"),
  "/".repeat(15_000),
  "%3A".repeat(5_000),
  "%".repeat(15_000),
  "%2F%".repeat(3_700),
  "*".repeat(15_000),
  "../".repeat(5_000),
  `v1/inventory/${"9".repeat(15_000)}`,
  `inventory.v1.InventoryService/${"ListInventory/".repeat(1_000)}`,
  `v1/inventory?${"a=1&".repeat(3_700)}`,
  `v1/inventory?pageSize=${"0".repeat(15_000)}1`,
  `v1/inventory?${"pageSize=1&".repeat(1_300)}`,
  `v1/inventory?pageToken=${"items,".repeat(2_400)}`,
  `v1/inventory?${"a.".repeat(7_000)}`,
  `v1/inventory?${"&".repeat(15_000)}`,
  `v1/inventory?${"%41".repeat(5_000)}`,
];

/** The time to refuse a path grows linearly with its length. */
export const longPath: Attack = {
  name: "paths that are slow to route",
  sends: `${longPaths.length} paths of up to 15,000 characters, with and without a key`,
  seconds: 8,
  async run(target) {
    const found = createFindings();
    for (const path of longPaths) {
      for (const key of [{}, bearer(target.keys.rich)]) {
        const what = `GET /${path.slice(0, 20)}… of ${path.length}`;
        await expectFast(found, target, what, http1("GET", `/${path}`, key));
      }
    }
    return found.list;
  },
};

const zeros = "0".repeat(65_000);
const numbers: readonly string[] = [
  `1${zeros}1e0`,
  `1${zeros}e-65000`,
  `0.${zeros}1`,
  `1.${zeros}`,
  `-${zeros}`,
  zeros,
  `1${zeros}`,
  `1e${"9".repeat(65_000)}`,
  `1e-${"9".repeat(65_000)}`,
  `"${zeros}1"`,
  `"${"9".repeat(65_000)}"`,
];

/** The time to parse a number grows linearly with its length. */
export const longNumber: Attack = {
  name: "numbers that are slow to parse",
  sends: `${numbers.length} numbers of 65,000 digits in JSON, over REST and Connect`,
  seconds: 10,
  async run(target) {
    const found = createFindings();
    const headers = { ...bearer(target.keys.rich), "content-type": "application/json" };
    for (const number of numbers) {
      const what = `${number.slice(0, 5)}…${number.slice(-4)}`;
      await expectFast(
        found,
        target,
        `PATCH with quantity ${what}`,
        http1("PATCH", "/v1/inventory/1", headers, `{"quantity":${number}}`),
      );
      await expectFast(
        found,
        target,
        `Connect with petId ${what}`,
        http1(
          "POST",
          "/inventory.v1.InventoryService/GetInventoryItem",
          { ...headers, "connect-protocol-version": "1" },
          `{"petId":${number}}`,
        ),
      );
    }
    return found.list;
  },
};

const long = (piece: string, bytes = 14_000) => piece.repeat(Math.floor(bytes / piece.length));
const longHeaders: readonly (readonly [name: string, value: string])[] = [
  ["if-match", long('"",')],
  ["if-match", long('"')],
  ["if-match", long("W/")],
  ["if-match", `"${long("\\")}`],
  ["if-none-match", long('"1",')],
  ["if-none-match", long(" ,")],
  ["accept", long("*/*,")],
  ["accept", long("a/b;q=0.")],
  ["accept", long(";")],
  ["accept", long(" ")],
  ["accept-encoding", long("gzip;q=0,")],
  ["content-type", `application/json${long(";a=b")}`],
  ["content-type", `application/json;charset="${long("\\")}`],
  ["content-encoding", long("gzip,")],
  ["content-encoding", long("identity,")],
  ["x-forwarded-for", long("1.2.3.4,")],
  ["x-forwarded-for", long("::,")],
  ["x-forwarded-for", long(",")],
  ["idempotency-key", long("a")],
  ["idempotency-key", `"${long("\\")}`],
  ["connect-timeout-ms", long("0")],
  ["grpc-timeout", `${long("9")}S`],
  ["authorization", `Bearer ${long(" ")}x`],
  ["authorization", long("Bearer ")],
  ["cookie", long("a=b;")],
  ["origin", long("http://a")],
  ["access-control-request-headers", long("a,")],
  ["last-event-id", long("9")],
  ["x-request-id", long("a")],
  ["traceparent", long("00-")],
  ["prefer", long("a=b,")],
  ["range", `bytes=${long("0-1,")}`],
  ["host", long("[")],
  ["forwarded", long("for=a,")],
];

/** The time to parse a header grows linearly with its length. */
export const longHeader: Attack = {
  name: "headers that are slow to parse",
  sends: `${longHeaders.length} headers of 14,000 bytes to REST and Connect`,
  seconds: 10,
  async run(target) {
    const found = createFindings();
    const key = bearer(target.keys.rich);
    for (const [name, value] of longHeaders) {
      const headers = { ...key, "content-type": "application/json", [name]: value };
      const what = `${name}: ${value.slice(0, 12)}…`;
      await Promise.all([
        expectFast(
          found,
          target,
          what,
          http1("PATCH", "/v1/inventory/2", headers, '{"quantity":1}'),
          proxyAddress,
        ),
        expectFast(
          found,
          target,
          `${what} (Connect)`,
          http1("POST", "/inventory.v1.InventoryService/ListInventory", headers, '{"pageSize":1}'),
          proxyAddress,
        ),
      ]);
    }
    return found.list;
  },
};
