import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { readRejectedSpans } from "./otlp-traces.ts";

/** Where spans are sent, by OTLP over HTTP in Protobuf. See https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export interface CollectorOptions {
  readonly url: string;
  /** Headers of every request, which can be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: "none" | "gzip";
  /** The longest time of one request, in milliseconds. */
  readonly requestTimeoutMs: number;
}

/** The outcome of a request to the collector. */
export type SendResult =
  | { readonly kind: "accepted"; readonly rejected: number }
  | {
      readonly kind: "failed";
      /** One line without secrets. */
      readonly reason: string;
      /** The least time before it may be sent again, in milliseconds; undefined when it must not be sent again. */
      readonly retryInMs: number | undefined;
    };

/** Sends a request to a collector. Never throws. @param signal aborted when it takes too long */
type Send = (body: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<SendResult>;

/** Status codes after which a request may be sent again (OTLP/HTTP, section "Retryable Response Codes"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Largest response that is read, in bytes. It has two fields, one of them a message. */
const largestResponse = 65_536;

const compress = promisify(gzip);

/** Makes a function that sends requests to a collector. */
export function createCollector(options: CollectorOptions): Send {
  const { url } = options;
  const isGzip = options.compression === "gzip";
  const headers = {
    "user-agent": "inventory-service",
    ...options.headers,
    "content-type": "application/x-protobuf",
    ...(isGzip && { "content-encoding": "gzip" }),
  };

  return async (message, signal) => {
    try {
      const body = isGzip ? await compress(message) : message;
      // A redirection could send the headers to another server.
      const request = { method: "POST", headers, body, signal, redirect: "manual" } as const;
      const response = await fetch(url, request);
      const bytes = await firstBytes(response);
      if (response.ok) return { kind: "accepted", rejected: rejectedSpans(bytes) };
      const reason = `the collector has responded with status ${response.status}`;
      const retryInMs = retryable.has(response.status) ? retryAfterMs(response) : undefined;
      return { kind: "failed", reason, retryInMs };
    } catch (error) {
      const reason = signal.aborted ? "the collector has not responded in time" : failureOf(error);
      return { kind: "failed", reason, retryInMs: 0 };
    }
  };
}

/** Reads a response, which is then complete or cancelled. @returns undefined when it is too large */
async function firstBytes({ body }: Response): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the response.
    if (length > largestResponse) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Some collectors respond with JSON or text. The spans then count as accepted. */
function rejectedSpans(response: Uint8Array | undefined): number {
  try {
    return response ? Math.max(0, readRejectedSpans(response)) : 0;
  } catch {
    return 0;
  }
}

/** Returns the value of Retry-After in milliseconds: seconds or a date (RFC 9110 section 10.2.3); 0 without a valid one. */
function retryAfterMs({ headers }: Response): number {
  const value = headers.get("retry-after") ?? "";
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Returns the code of an error of `fetch`. Its message can contain the URL, which can have a password. */
function failureOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return `the collector cannot be reached: ${code ?? "connection failed"}`;
}
