import { describe, expect, test } from "vitest";
import { useContract } from "../../contract/support.ts";
import { useOtlpSink } from "../../support/otlp-sink.ts";
import { memoryKind } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331`;

describe("the lines of a request", () => {
  const sink = useOtlpSink();
  const logged = { ACCESS_LOG: "all", OTEL_TRACES_SAMPLER: "parentbased_always_on" };

  describe.each([
    ["with tracing", sink.environment],
    ["without tracing", {}],
  ])("%s", (name, tracing) => {
    const contract = useContract(memoryKind, { ...logged, ...tracing }, true);

    async function traceIdOfLine(headers: Readonly<Record<string, string>>): Promise<unknown> {
      const { lines } = contract.server;
      await contract.send("GET /v1/inventory/1", { headers });
      await until("the line", () => lines.length > 0);
      expect(lines[0]).toMatchObject({ msg: "request", route: "/v1/inventory/{pet_id}" });
      return lines[0]?.traceId;
    }

    test.each(["01", "00"])("have the trace id of the client, with the flags %s", async (flags) => {
      expect(await traceIdOfLine({ traceparent: `${traceparent}-${flags}` })).toBe(traceId);
    });

    test("have the trace id of the request's own trace, if it has one", async () => {
      const found = await traceIdOfLine({});
      if (name === "without tracing") {
        expect(found).toBeUndefined();
        return;
      }
      const [span] = await sink.until((spans) => spans.length > 0);
      expect(found).toBe(span?.traceId);
    });
  });
});
