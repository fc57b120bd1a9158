import { Code } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type Protocol,
  RequestRecord,
  settle,
} from "../../../packages/connect-gateway/src/call/request-record.ts";
import { callRecordKey, newCallRecord } from "../../../src/common/call-context.ts";
import { readConfig } from "../../../src/config/config.ts";
import type { Log } from "../../../src/observability/log/log.ts";
import { createRequestLog } from "../../../src/observability/log/request-log.ts";
import { captureLog } from "../../support/captured-log.ts";
import { useFakeTime } from "../../support/fake-time.ts";
import type { LogLine } from "../../support/server.ts";

useFakeTime({ toFake: ["performance"] });

interface Subject {
  readonly log: Log;
  readonly lines: LogLine[];
  /** The reasons of refused requests, with their keys. */
  readonly refused: string[];
  end(record: RequestRecord): void;
}

/** Creates a request log with settings that differ from their defaults. */
function subject(environment: Readonly<Record<string, string>> = {}): Subject {
  const config = readConfig(environment);
  const refused: string[] = [];
  const { log, lines } = captureLog(config.logLevel);
  const end = createRequestLog(log, config, (reason, keyId) => refused.push(`${reason} ${keyId}`));
  return { log, lines, refused, end: (record) => end(record, undefined) };
}

function request(protocol: Protocol, code: number, reason?: string): RequestRecord {
  const record = new RequestRecord(performance.now());
  settle(record, protocol, code, reason);
  return record;
}

function ofAccount(accountId: string, record: RequestRecord): RequestRecord {
  record.values.set(callRecordKey, {
    ...newCallRecord(),
    caller: { accountId, keyId: `${accountId}.key` },
  });
  return record;
}

const ok = () => request("http", 200);
const notFound = () => request("grpc", Code.NotFound, "PET_NOT_FOUND");

describe("the access log", () => {
  test.each([
    ["off", {}, []],
    ["errors", { ACCESS_LOG: "errors" }, ["NOT_FOUND"]],
    ["all", { ACCESS_LOG: "all" }, [200, "NOT_FOUND"]],
    ["sampled, share 0", { ACCESS_LOG: "sampled", ACCESS_LOG_SAMPLE: "0" }, []],
    ["sampled, share 1", { ACCESS_LOG: "sampled", ACCESS_LOG_SAMPLE: "1" }, [200, "NOT_FOUND"]],
  ])("%s", (_, environment, codes) => {
    const { lines, end } = subject(environment);
    end(ok());
    end(notFound());
    expect(lines.map(({ code }) => code)).toEqual(codes);
  });

  test("sampled has the given share of requests", () => {
    const random = vi.spyOn(Math, "random").mockReturnValueOnce(0.2499).mockReturnValueOnce(0.25);
    onTestFinished(() => random.mockRestore());
    const { lines, end } = subject({ ACCESS_LOG: "sampled", ACCESS_LOG_SAMPLE: "0.25" });
    end(ok());
    end(notFound());
    expect(lines.map(({ code }) => code)).toEqual([200]);
  });

  test("does not depend on the level", () => {
    const { lines, end } = subject({ ACCESS_LOG: "all", LOG_LEVEL: "silent" });
    end(ok());
    end(request("http", 503));
    expect(lines.map(({ msg }) => msg)).toEqual(["request", "request"]);
  });

  test("has a bounded number of lines a second, and says how many it has dropped", () => {
    const { log, lines, end } = subject({ ACCESS_LOG: "all", ACCESS_LOG_LINES_PER_SECOND: "50" });
    for (let count = 0; count < 10_000; count++) end(ok());
    expect(lines).toHaveLength(50);
    vi.advanceTimersByTime(1_000);
    end(ok());
    end(ok());
    expect(lines[50]).toMatchObject({ msg: "request", suppressed: 9_950 });
    expect(lines[51]).not.toHaveProperty("suppressed");
    expect(log.budget.dropped).toBe(9_950);
  });

  test("has lines of other clients when one client causes very many", () => {
    const { lines, end } = subject({ ACCESS_LOG: "all", ACCESS_LOG_LINES_PER_SECOND: "50" });
    for (let count = 0; count < 1_000; count++) end(ofAccount("greedy", ok()));
    for (let count = 0; count < 10; count++) end(ofAccount("modest", ok()));
    const of = (account: string) => lines.filter(({ accountId }) => accountId === account).length;
    expect([of("greedy"), of("modest")]).toEqual([26, 10]);
  });

  test("writes every code as its protocol does", () => {
    const { lines, end } = subject({ ACCESS_LOG: "all" });
    const codes = Object.values(Code).filter((code) => typeof code === "number");
    for (const code of codes) end(request("connect", code));
    const others = [
      ["grpc", Code.Canceled],
      ["grpc_web", Code.Unauthenticated],
      ["grpc", 0],
    ] as const;
    for (const [protocol, code] of others) end(request(protocol, code));
    const words = codes.map((code) =>
      Code[code].replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
    );
    expect(codes).toHaveLength(16);
    const access = lines.filter(({ msg }) => msg === "request");
    expect(access.map(({ code }) => code)).toEqual([
      ...words,
      "CANCELLED",
      "UNAUTHENTICATED",
      "OK",
    ]);
  });
});

describe("slow requests", () => {
  test("of one client have five lines a second, and others have lines too", () => {
    const { lines, end } = subject();
    const accounts = [...Array.from({ length: 100 }, () => "greedy"), "modest", "other"];
    const records = accounts.map((account) => ofAccount(account, ok()));
    vi.advanceTimersByTime(2_000);
    for (const record of records) end(record);
    expect(lines.map(({ accountId }) => accountId)).toEqual([
      ...Array.from({ length: 5 }, () => "greedy"),
      "modest",
      "other",
    ]);
  });

  test.each([
    ["at the limit", 1_000, ["slow request"]],
    ["below the limit", 999, []],
  ])("%s", (_, ms, messages) => {
    const { lines, end } = subject();
    const record = ok();
    vi.advanceTimersByTime(ms);
    end(record);
    expect(lines.map(({ msg }) => msg)).toEqual(messages);
    if (lines[0]) expect(lines[0]).toMatchObject({ level: 40, ms: 1_000, code: 200 });
  });

  test("are not logged with SLOW_REQUEST_MS=0", () => {
    const { lines, end } = subject({ SLOW_REQUEST_MS: "0" });
    const record = ok();
    vi.advanceTimersByTime(100_000);
    end(record);
    expect(lines).toEqual([]);
  });

  test("are not streams", () => {
    const { lines, end } = subject();
    const record = ok();
    record.isStream = true;
    vi.advanceTimersByTime(100_000);
    end(record);
    expect(lines).toEqual([]);
  });
});

describe("failed requests", () => {
  const bug = [50, "request failed"] as const;
  const outage = [40, "request failed: unavailable"] as const;
  const none = [] as const;

  test.each([
    ["http", 500, bug],
    ["http", 503, outage],
    ["http", 504, outage],
    ["http", 499, none],
    ["http", 429, none],
    ["connect", Code.Internal, bug],
    ["grpc", Code.Unknown, bug],
    ["grpc_web", Code.DataLoss, bug],
    ["grpc", Code.Unavailable, outage],
    ["connect", Code.DeadlineExceeded, outage],
    ["grpc", Code.Unimplemented, none],
    ["grpc", Code.ResourceExhausted, none],
    ["grpc", Code.Canceled, none],
  ] as const)("%s %d", (protocol, code, expected) => {
    const { lines, end } = subject();
    end(request(protocol, code, "WHY"));
    const [level, msg] = expected;
    expect(lines).toMatchObject(level ? [{ level, msg, protocol, reason: "WHY" }] : []);
  });

  test("are bounded in a flood, and obey the level", () => {
    const { log, lines, end } = subject();
    for (let count = 0; count < 10_000; count++) {
      end(ofAccount("one", request("http", 503)));
      end(ofAccount("one", request("grpc", Code.Internal)));
    }
    expect(lines).toHaveLength(10);
    log.level = "error";
    vi.advanceTimersByTime(1_000);
    end(request("http", 503));
    end(request("http", 500));
    expect(lines.slice(10)).toMatchObject([{ msg: "request failed", suppressed: 9_995 }]);
  });
});

test("requests that were refused with 429 are passed on with reason and key, in every protocol", () => {
  const { refused, lines, end } = subject();
  for (const [protocol, code] of [
    ["http", 429],
    ["grpc", Code.ResourceExhausted],
  ] as const) {
    const record = request(protocol, code, "RATE_LIMITED");
    const caller = { accountId: "a", keyId: "k" };
    record.values.set(callRecordKey, { ...newCallRecord(), caller });
    end(record);
  }
  end(request("connect", Code.ResourceExhausted, "ADDRESS_LIMITED"));
  end(notFound());
  expect(refused).toEqual(["RATE_LIMITED k", "RATE_LIMITED k", "ADDRESS_LIMITED undefined"]);
  expect(lines).toEqual([]);
});
