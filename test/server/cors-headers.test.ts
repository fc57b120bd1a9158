import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as connect from "@connectrpc/connect/protocol-connect";
import * as grpc from "@connectrpc/connect/protocol-grpc";
import * as grpcWeb from "@connectrpc/connect/protocol-grpc-web";
import { describe, expect, test } from "vitest";
import document from "../../gen/openapi.json" with { type: "json" };
import { timeoutHeaderNames } from "../../packages/connect-gateway/src/http/timeout-headers.ts";
import { sendHttp1 } from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const root = join(import.meta.dirname, "../..");

function textsOf(folder: string, end: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(end))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));
}

const docs = [...textsOf("docs/caller", ".md"), readFileSync(join(root, "README.md"), "utf8")].join(
  "\n",
);

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name.toLowerCase());
}

/** Constants of Connect for its clients, or for the beginnings of names. */
const ofClients = ["trailer-", "user-agent"];

/** Constants of Connect's code, which reads and writes the headers of its protocols. */
const ofConnect = [connect, grpc, grpcWeb].flatMap((module) =>
  Object.entries(module)
    .filter(([name]) => /^header[A-Z]/.test(name))
    .map(([, value]) => String(value).toLowerCase())
    .filter((name) => !ofClients.includes(name)),
);

/** Headers in the OpenAPI document: parameters, or headers of responses. */
function inDocument(value: unknown, kind: "parameters" | "headers"): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own =
    kind === "parameters"
      ? "in" in value && value.in === "header" && "name" in value
        ? [String(value.name).toLowerCase()]
        : []
      : "headers" in value
        ? Object.keys(value.headers ?? {}).map((name) => name.toLowerCase())
        : [];
  return [...own, ...Object.values(value).flatMap((inner) => inDocument(inner, kind))];
}

/** Names that the docs tell clients to send. */
const sent = new Set([
  ...timeoutHeaderNames,
  ...inDocument(document, "parameters"),
  ...found(docs, /-H ['"]([A-Za-z-]+):/g),
]);

/** All other names of the docs and of Connect. */
const named = new Set([
  ...ofConnect,
  ...inDocument(document, "headers"),
  ...found(docs, /`([A-Z][A-Za-z]*(?:-[A-Za-z]+)+)`/g),
]);

/** Headers that pages cannot set (https://fetch.spec.whatwg.org/#forbidden-request-header). */
const notOfPages = ["content-length", "host", "trailer"];

describe("CORS", () => {
  const server = useServer(memoryKind, { CORS_ORIGINS: "*" });
  const origin = { origin: "https://shop.example" };

  async function listed(method: string, name: string, headers = {}): Promise<Set<string>> {
    const reply = await sendHttp1(server.port, {
      method,
      path: "/v1/inventory",
      headers: { ...origin, ...headers },
    });
    return new Set(String(reply.headers[name]).toLowerCase().split(", "));
  }
  const preflight = { "access-control-request-method": "GET" };

  test("lets pages send every header that the docs tell clients to send", async () => {
    const allowed = await listed("OPTIONS", "access-control-allow-headers", preflight);
    const missing = [...sent].filter((name) => !allowed.has(name) && !notOfPages.includes(name));
    expect(missing).toEqual([]);
    expect([...allowed]).toEqual(
      expect.arrayContaining([
        "authorization",
        "idempotency-key",
        "if-match",
        "if-none-match",
        "last-event-id",
        "x-request-id",
        "connect-timeout-ms",
        "grpc-timeout",
        "x-server-timeout",
        "grpc-encoding",
        "grpc-accept-encoding",
        "traceparent",
        "tracestate",
        "baggage",
      ]),
    );
  });

  test("lets pages send or read every header that the docs or Connect name", async () => {
    const allowed = await listed("OPTIONS", "access-control-allow-headers", preflight);
    const exposed = await listed("GET", "access-control-expose-headers");
    const unknown = [...named].filter(
      (name) => !allowed.has(name) && !exposed.has(name) && !notOfPages.includes(name),
    );
    expect(unknown).toEqual([]);
    const documented = inDocument(document, "headers").filter((name) => !exposed.has(name));
    expect(documented).toEqual([]);
  });
});
