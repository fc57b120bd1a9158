import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { listen } from "./listen.ts";
import { decodeTraces, type ReceivedSpan } from "./otlp-decoder.ts";

export interface ReceivedRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Without compression. */
  readonly body: Buffer;
}

export interface OtlpSink {
  /** Settings that send every span to it at once, if the environment of the process names its address. */
  readonly environment: Readonly<Record<string, string>>;
  readonly requests: readonly ReceivedRequest[];
  readonly spans: readonly ReceivedSpan[];
  /** Attributes of the process that sent the last request. */
  readonly resource: Readonly<Record<string, string | number>>;
  /** Responds to the next requests. When undefined, the collector accepts them. */
  respond: ((response: ServerResponse, request: ReceivedRequest) => void) | undefined;
  /** Waits until the received spans meet a condition. @returns the spans */
  until(condition: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>;
}

/**
 * Starts a collector before the tests of a `describe`, and names its address in the environment of this process, where the
 * exporter reads it. It is empty before each test.
 */
export function useOtlpSink(): OtlpSink {
  const requests: ReceivedRequest[] = [];
  const spans: ReceivedSpan[] = [];
  let resource: Record<string, string | number> = {};
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const sent = Buffer.concat(chunks);
      const body = incoming.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      const request = { url: incoming.url ?? "", headers: incoming.headers, body };
      requests.push(request);
      if (sink.respond) {
        sink.respond(response, request);
        return;
      }
      const decoded = decodeTraces(body);
      spans.push(...decoded.spans);
      resource = decoded.resource;
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  const sink: OtlpSink = {
    environment: { OTEL_TRACES_EXPORTER: "otlp", OTEL_BSP_SCHEDULE_DELAY: "1" },
    requests,
    spans,
    get resource() {
      return resource;
    },
    respond: undefined,
    until: (condition) =>
      vi.waitFor(
        () => {
          if (!condition(spans)) {
            throw new Error(`received only ${spans.map(({ name }) => name).join(", ")}`);
          }
          return spans;
        },
        { timeout: 5_000, interval: 5 },
      ),
  };
  beforeAll(async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", await listen(server));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    requests.length = 0;
    spans.length = 0;
    sink.respond = undefined;
  });
  return sink;
}
