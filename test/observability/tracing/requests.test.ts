import { Code } from "@connectrpc/connect";
import { SpanStatusCode } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { describe, expect, test } from "vitest";
import { InventoryService, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { callRecordOf } from "../../../src/common/call-context.ts";
import { startRequestSpan } from "../../../src/observability/tracing/sdk-span.ts";
import { bearer, ownAccount, useContract } from "../../contract/support.ts";
import { rawProtocols } from "../../rpc/raw-protocols.ts";
import type { ReceivedSpan } from "../../support/otlp-decoder.ts";
import { useOtlpSink } from "../../support/otlp-sink.ts";
import { redisKind } from "../../support/stores.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const sampled = {
  traceparent: `00-${traceId}-${callerSpan}-01`,
  tracestate: "congo=t61rcWkgMzE, rojo=1",
};

const unsampled = { traceparent: `00-${traceId}-${callerSpan}-00` };

const server = 2;
const isServer = ({ kind }: ReceivedSpan) => kind === server;

/** A span of Redis: its stored procedure. */
const scriptOf = ({ attributes }: ReceivedSpan) => attributes["db.stored_procedure.name"];

describe("a sampled request", () => {
  const sink = useOtlpSink();
  const contract = useContract(redisKind, sink.environment, true);

  function traceOf(name: string): Promise<readonly ReceivedSpan[]> {
    // The spans of Redis end before that of the request.
    return sink.until((all) => all.some((span) => isServer(span) && span.name === name));
  }

  const update = "inventory.v1.InventoryService/UpdateInventory";
  const message = {
    petId: 1n,
    update: { quantity: 5 },
    note: "a private note",
    reference: "a private reference",
    idempotencyKey: "a-private-idempotency-key",
  };
  const systems: Record<string, string> = {
    Connect: "connectrpc",
    gRPC: "grpc",
    "gRPC-Web": "grpc_web",
  };

  test.each(rawProtocols)("by $name, continues the trace of its caller", async ({ name, call }) => {
    const { server: under, own } = contract;
    const { code } = await call(under.port, {
      method: InventoryService.method.updateInventory,
      message,
      authorization: bearer(own),
      headers: sampled,
    });
    expect(code).toBe("ok");
    const spans = await traceOf(update);
    const [request] = spans.filter(isServer);
    const system = systems[name.split(",")[0] ?? ""];
    expect(request).toMatchObject({
      traceId,
      parentId: callerSpan,
      traceState: "congo=t61rcWkgMzE,rojo=1",
      name: update,
      status: 0,
      flags: 0x301,
      attributes: {
        "rpc.system.name": system,
        "rpc.method": update,
        "rpc.response.status_code": system === "connectrpc" ? "ok" : "OK",
        "inventory.admission.verdict": "admitted",
      },
    });
    expectStoreSpans(spans, request);
  });

  test("by JSON over HTTP, continues the trace of its caller", async () => {
    const { status, headers } = await contract.send("PATCH /v1/inventory/1", {
      headers: { "content-type": "application/json", ...sampled },
      body: '{"quantity":5}',
    });
    expect(status).toBe(200);
    expect(Object.keys(headers)).not.toContain("traceparent");
    const spans = await traceOf("PATCH /v1/inventory/{pet_id}");
    const [request] = spans.filter(isServer);
    expect(request).toMatchObject({
      traceId,
      parentId: callerSpan,
      status: 0,
      attributes: {
        "http.request.method": "PATCH",
        "http.route": "/v1/inventory/{pet_id}",
        "http.response.status_code": 200,
        "network.protocol.version": "1.1",
      },
    });
    expectStoreSpans(spans, request);
  });

  /** Expects the waits and the script calls of an update, all within its span. */
  function expectStoreSpans(
    spans: readonly ReceivedSpan[],
    request: ReceivedSpan | undefined,
  ): void {
    const waits = spans.filter(({ name }) => name === "wait for batch");
    const scripts = spans.filter((span) => scriptOf(span) !== undefined);
    expect(scripts.map(({ name }) => name)).toEqual([
      "EVALSHA admit-key",
      "EVALSHA change-quantity",
    ]);
    expect(waits).toHaveLength(2);
    for (const span of [...waits, ...scripts]) {
      expect(span).toMatchObject({ traceId, parentId: request?.spanId, flags: 0x101, status: 0 });
      expect(span.startedAt).toBeGreaterThanOrEqual(request?.startedAt ?? 0n);
      expect(span.endedAt).toBeGreaterThanOrEqual(span.startedAt);
      expect(request?.endedAt).toBeGreaterThanOrEqual(span.endedAt);
    }
    for (const span of scripts) {
      expect(span.kind).toBe(3);
      expect(span.links).toMatchObject([{ traceId, spanId: request?.spanId }]);
      expect(span.attributes).toMatchObject({
        "db.system.name": "redis",
        "db.operation.name": "EVALSHA",
      });
    }
  }

  test("has no data of its caller in its spans", async () => {
    const { server: under, own } = contract;
    for (const { call } of rawProtocols) {
      const authorization = bearer(own);
      const { code } = await call(under.port, {
        method: InventoryService.method.updateInventory,
        message,
        authorization,
      });
      expect(code).toBe("ok");
    }
    const path = "/v1/inventory/9007199254740993";
    await contract.send(`PATCH ${path}?expectedQuantity=9876`, {
      headers: { "content-type": "application/json", "x-request-id": "a-private-request-id" },
      body: '{"quantity":7654321}',
    });
    await contract.send("GET /v1/private-path?private-query=1");
    await contract.send("MKCOL /v1/inventory");
    await contract.send("GET /v1/inventory", { authorization: "Bearer inv_private-token" });
    await sink.until((spans) => spans.filter(isServer).length >= rawProtocols.length + 4);
    const payload = Buffer.concat(sink.requests.map(({ body }) => body)).toString("latin1");
    expect(payload).toContain(update);
    const secrets = [
      own.secret,
      own.keyHash,
      Buffer.from(own.keyHash, "base64url").toString("latin1"),
    ];
    for (const secret of [...secrets, own.keyId, ownAccount, "9007199254740993", "7654321"]) {
      expect(payload).not.toContain(secret);
    }
    expect(payload).not.toMatch(/private|9876|MKCOL|bearer/i);
  });

  test("has the code and the reason of its error", async () => {
    const { server: under, own } = contract;
    for (const { call } of rawProtocols) {
      const missing = { petId: 404n, update: { quantity: 5 } };
      await call(under.port, {
        method: InventoryService.method.updateInventory,
        message: missing,
        authorization: bearer(own),
      });
    }
    await contract.send("GET /v1/inventory/404");
    const spans = await sink.until((all) => all.filter(isServer).length > rawProtocols.length);
    const outcomes = spans
      .filter(isServer)
      .map(({ attributes, status }) => [
        attributes["rpc.response.status_code"] ?? attributes["http.response.status_code"],
        attributes["inventory.error.reason"],
        status,
      ]);
    const rest = ["PET_NOT_FOUND", 0];
    expect(outcomes).toEqual([
      ["not_found", ...rest],
      ["not_found", ...rest],
      ["NOT_FOUND", ...rest],
      ["NOT_FOUND", ...rest],
      ["NOT_FOUND", ...rest],
      [404, ...rest],
    ]);
  });

  test("begins a trace when its traceparent header is invalid", async () => {
    const headers = { ...sampled, traceparent: sampled.traceparent.toUpperCase() };
    await contract.send("GET /v1/inventory/1", { headers });
    const [request] = (await traceOf("GET /v1/inventory/{pet_id}")).filter(isServer);
    expect(request).toMatchObject({ parentId: "", traceState: "", flags: 0x101 });
    expect(request?.traceId).not.toBe(traceId);
  });

  test("begins a trace when it has two traceparent headers", async () => {
    const headers = { traceparent: [sampled.traceparent, sampled.traceparent] };
    await contract.send("GET /v1/inventory/1", { headers });
    const [request] = (await traceOf("GET /v1/inventory/{pet_id}")).filter(isServer);
    expect(request?.traceId).not.toBe(traceId);
  });

  const members = (length: number) => `a=${"b".repeat(255)},c=${"d".repeat(length - 260)}`;

  test.each([
    [["a=1,b=2", "c=3"], "a=1,b=2,c=3"],
    [members(512), members(512)],
    [members(513), ""],
  ])("has the tracestate of its caller, up to 512 characters: %j", async (tracestate, expected) => {
    await contract.send("GET /v1/inventory/1", { headers: { ...sampled, tracestate } });
    const [request] = (await traceOf("GET /v1/inventory/{pet_id}")).filter(isServer);
    expect(request).toMatchObject({ traceId, parentId: callerSpan, traceState: expected });
  });

  test("that reads the list shares the read of the list", async () => {
    await contract.send("GET /v1/inventory", { headers: sampled });
    await contract.send("GET /v1/inventory", { headers: sampled });
    const spans = await sink.until((all) => all.filter(isServer).length === 2);
    const reads = spans.filter((span) => scriptOf(span) === "changes-since");
    const requests = spans.filter(isServer);
    expect(spans.filter(({ name }) => name === "wait for list")).toHaveLength(2);
    // The first request reads all items, with no version to continue from.
    expect(reads).toMatchObject([{ links: [{ traceId, spanId: requests[1]?.spanId }] }]);
  });

  test("that its caller does not sample has no spans", async () => {
    await contract.send("GET /v1/inventory/1", { headers: unsampled });
    await contract.send("GET /v1/inventory/2", { headers: sampled });
    const spans = await traceOf("GET /v1/inventory/{pet_id}");
    const { records } = contract.server;
    expect(records.map((record) => callRecordOf(record).span !== undefined)).toEqual([false, true]);
    expect(spans.filter(isServer)).toHaveLength(1);
  });
});

describe("sampled requests of one event-loop tick", () => {
  const under = redisKind.use();

  function startTraces() {
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor({ exporter })];
    const tracer = new TracerProvider({ spanProcessors }).getTracer("test");
    return {
      ended: (name: string): readonly ReadableSpan[] =>
        exporter.getFinishedSpans().filter((span) => span.name === name),
      record: (startedAt = performance.now()) => ({
        storeMs: 0,
        changesSent: 0,
        span: startRequestSpan(tracer, undefined, startedAt),
      }),
    };
  }

  test("share the span of a script call, which has links to all of them", async () => {
    const { catalog, inventory } = under.stores;
    const { ended, record } = startTraces();
    const records = [record(), record(), record()];
    const contexts = records.map(({ span }) => span.context);
    await catalog.put([{ petId: 1n, quantity: 1, status: PetStatus.SOLD }]);
    await Promise.all([
      ...records.map((each) => inventory.change({ petId: 1n, delta: 1 }, {}, { record: each })),
      inventory.change({ petId: 1n, delta: 1 }),
    ]);
    const [script, ...others] = ended("EVALSHA change-quantity");
    expect(others).toEqual([]);
    expect(script?.parentSpanContext).toEqual(contexts[0]);
    expect(script?.links.map(({ context }) => context)).toEqual(contexts);
    expect(script?.attributes["db.operation.batch.size"]).toBe(4);
    const waits = ended("wait for batch");
    expect(waits.map(({ parentSpanContext }) => parentSpanContext)).toEqual(contexts);
    for (const { storeMs } of records) expect(storeMs).toBeGreaterThan(0);
    for (const { span } of records) span.end(performance.now());
    const links = ended("").map((request) => request.links.map(({ context }) => context));
    expect(links).toEqual([[], [script?.spanContext()], [script?.spanContext()]]);
  });

  /** When a span began and ended, on the clock of performance.now() on which its request began. */
  function times({ startTime, duration }: ReadableSpan, request: ReadableSpan, begunAt: number) {
    const ms = ([seconds, nanoseconds]: readonly [number, number]) =>
      seconds * 1_000 + nanoseconds / 1e6;
    const began = begunAt + ms(startTime) - ms(request.startTime);
    return { began, ended: began + ms(duration) };
  }

  /** Times since the epoch are exact to less than this, in milliseconds. */
  const exactMs = 0.01;

  test("have spans that last as long as they have waited for Redis", async () => {
    const { catalog, inventory } = under.stores;
    const { ended, record } = startTraces();
    await catalog.put([{ petId: 1n, quantity: 1, status: PetStatus.SOLD }]);
    const begunAt = performance.now();
    const [changing, listing] = [record(begunAt), record(begunAt)];
    const change = inventory.change({ petId: 1n, delta: 1 }, {}, { record: changing });
    const askedAt = performance.now();
    await Promise.all([change, inventory.list(undefined, { record: listing })]);
    for (const { span } of [changing, listing]) span.end(performance.now());
    const [request] = ended("");
    const timesOf = (name: string) =>
      ended(name).map((span) => times(span, request as ReadableSpan, begunAt));
    const [batch, ...otherBatches] = timesOf("wait for batch");
    const [script] = timesOf("EVALSHA change-quantity");
    const [list] = timesOf("wait for list");
    if (!batch || !script || !list) throw new Error("a span is missing");
    expect(otherBatches).toEqual([]);
    // It waits from the call on, until the script is sent.
    expect(batch.began).toBeLessThan(askedAt + exactMs);
    expect(batch.ended).toBeLessThan(script.began + exactMs);
    expect(Math.abs(script.ended - script.began - changing.storeMs)).toBeLessThan(exactMs);
    expect(Math.abs(list.ended - list.began - listing.storeMs)).toBeLessThan(exactMs);
  });

  test("have a failed span when Redis refuses the command", async () => {
    const { ended, record } = startTraces();
    const { accounts } = under.stores;
    const context = { record: record(), deadline: 0 };
    const made = accounts.update("aaaaaaaaaaaa", { choice: { plan: "free" } }, context);
    await expect(made).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    expect(ended("EVALSHA update-account")).toMatchObject([
      { status: { code: SpanStatusCode.ERROR }, attributes: { "error.type": "deadline_exceeded" } },
    ]);
  });
});
