import { describe, expect, it } from "vitest";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { bearer, useContract } from "../contract/support.ts";
import { rawProtocols } from "../rpc/raw-protocols.ts";
import type { ReceivedSpan } from "../support/otlp-decoder.ts";
import { useOtlpSink } from "../support/otlp-sink.ts";
import { storeKinds } from "../support/stores.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const sampled = {
  traceparent: `00-${traceId}-${callerSpan}-01`,
  tracestate: "congo=t61rcWkgMzE, rojo=1",
};

const server = 2;
const redis = storeKinds.filter(({ name }) => name === "redis");

const isServer = ({ kind }: ReceivedSpan) => kind === server;

/** A span of Redis: its stored procedure. */
const scriptOf = ({ attributes }: ReceivedSpan) => attributes["db.stored_procedure.name"];

describe.each(redis)("a sampled request, with $name,", (kind) => {
  const sink = useOtlpSink();
  const contract = useContract(kind, sink.environment);

  async function traceOf(name: string): Promise<readonly ReceivedSpan[]> {
    // The spans of Redis end before that of the request.
    const spans = await sink.until((all) =>
      all.some((span) => isServer(span) && span.name === name),
    );
    return spans;
  }

  const update = "inventory.v1.InventoryService/UpdateInventory";
  const message = { petId: 1n, update: { quantity: 5 }, note: "a private note" };
  const systems: Record<string, string> = {
    Connect: "connectrpc",
    gRPC: "grpc",
    "gRPC-Web": "grpc_web",
  };

  it.each(rawProtocols)("by $name, continues the trace of its caller", async ({ name, call }) => {
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

  it("by JSON over HTTP, continues the trace of its caller", async () => {
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
    expect(scripts.map(({ name }) => name)).toEqual(["EVALSHA admit-key", "EVALSHA set-quantity"]);
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
});
