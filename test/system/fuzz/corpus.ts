import {
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonObject,
  type JsonValue,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { Health } from "../../../packages/connect-gateway/gen/health/v1/health_pb.ts";
import { httpRequestOf, methods, requestOf } from "../../support/operations.ts";

/** A fuzz case: bytes to send on a connection, or a file to import. */
export interface FuzzCase {
  readonly kind: "http1" | "http2" | "csv" | "ndjson";
  readonly name: string;
  readonly bytes: Buffer;
  /** Lengths of the first chunks in which the bytes are sent. */
  readonly cuts: readonly number[];
}

/** A request that is independent of the HTTP version. Mutations change it in place. */
export interface Call {
  /** The operation and its protocol, for reports. */
  readonly name: string;
  /** The only HTTP version that can carry the request, if there is one. */
  readonly http2Only: boolean;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: Buffer;
}

/** A copy that can be changed without changing the original. */
export function copyOf(call: Call): Call {
  return { ...call, headers: call.headers.map(([name, value]) => [name, value]) };
}

/** The secrets of the keys that the corpus uses, and an account for its admin requests. */
export interface CorpusKeys {
  readonly rich: string;
  readonly admin: string;
  /** An account whose keys the requests may change. */
  readonly accountId: string;
  readonly keyId: string;
  /** Ids of an order of the caller and of that account. */
  readonly orderId: string;
  readonly othersOrderId: string;
}

type Rpc = readonly [method: DescMethod, message: JsonValue];

/** Values of fields that most samples leave out, by the name of the field. */
const optional: JsonObject = {
  ...{ note: "a note", reference: "R-1", reason: "CHANGE_REASON_ARRIVAL", idempotencyKey: "k-1" },
  ...{ expectedVersion: "9", expectedQuantity: 7, expectedOnHand: 9, readMask: "petId,quantity" },
  ...{ pageToken: "", resumeToken: "" },
  ...{ expiresAt: "2030-01-01T00:00:00Z", startTime: "2026-01-01T00:00:00Z", grace: "60s" },
};

/** Returns a message with the optional fields that it and the messages in its lists can have. */
function filled({ field }: DescMessage, json: JsonObject): JsonObject {
  const all = Object.entries({ ...optional, ...json }).filter(([name]) => field[name]);
  const members = all.map(([name, value]) => {
    const { message } = field[name] ?? {};
    const fill = (each: JsonValue) => (message ? filled(message, each as JsonObject) : each);
    return [name, Array.isArray(value) ? value.map(fill) : value];
  });
  return Object.fromEntries(members);
}

/** Methods that would take from the account what other requests need. Theirs does not exist. */
const takes = new Set(["SetWritePolicy", "DisableAccount", "DeleteAccount"]);

/** Valid messages for every RPC method: the sample, and one with optional fields. */
function rpcs({ accountId, keyId, orderId, othersOrderId }: CorpusKeys): readonly Rpc[] {
  const calls = methods.flatMap((method): Rpc[] => {
    const ids = {
      accountId: takes.has(method.name) ? "zzzzzzzzzzzz" : accountId,
      keyId,
      orderId: method.parent === AdminService ? othersOrderId : orderId,
    };
    const plain = requestOf(method, ids);
    const full = filled(method.input, plain);
    const hasMore = Object.keys(full).length > Object.keys(plain).length;
    return hasMore
      ? [
          [method, plain],
          [method, full],
        ]
      : [[method, plain]];
  });
  return [
    ...calls,
    [Health.method.check, { service: "" }],
    [Health.method.watch, { service: "inventory.v1.InventoryService" }],
    [Health.method.list, {}],
  ];
}

type Rest = readonly [method: string, path: string, body?: string, ...headers: [string, string][]];

/** Requests of REST with other fields and headers than the samples, and of public documents. */
const rest: readonly Rest[] = [
  ["GET", "/v1/inventory?pageSize=10", undefined, ["if-none-match", '"1"']],
  ["GET", "/v1/inventory/1", undefined, ["accept", "application/json;q=0.5, */*;q=0.1"]],
  ["PATCH", "/v1/inventory/1", '{"quantity":5}', ["if-match", '"1", "2"']],
  ["PATCH", "/v1/inventory/1?note=a&reference=b&reason=arrival", '{"quantity":5}'],
  ["POST", "/v1/inventory/2:adjust", '{"delta":-1,"note":"\\u00e9"}', ["idempotency-key", '"k-2"']],
  [
    "POST",
    "/v1/inventory:batchAdjust",
    '{"adjustments":[{"petId":1,"delta":-2}],"reason":"arrival"}',
  ],
  ["GET", "/v1/inventory/changes?pageSize=10&pageToken="],
  ["GET", "/v1/inventory:watch?resumeToken=", undefined, ["accept", "text/event-stream"]],
  ["GET", "/v1/inventory:watch", undefined, ["last-event-id", "1"]],
  ["POST", "/v1/store/orders", '{"petId":4,"quantity":1}', ["idempotency-key", "k-3"]],
  ["HEAD", "/v1/inventory/1"],
  [
    "OPTIONS",
    "/v1/inventory/1",
    undefined,
    ["origin", "https://a.example"],
    ["access-control-request-method", "PATCH"],
  ],
  ["GET", "/livez"],
  ["GET", "/readyz"],
  ["GET", "/docs"],
  ["GET", "/openapi.json", undefined, ["accept-encoding", "gzip, br;q=0.5"]],
];

/** The sample requests as JSON over HTTP. */
function samples(keys: CorpusKeys): readonly Rest[] {
  const requests = methods.map((method) => httpRequestOf(method, keys)).filter((each) => !!each);
  return requests.map(({ line, body }): Rest => {
    const [method = "", path = ""] = line.split(" ");
    return body === undefined ? [method, path] : [method, path, body];
  });
}

/** Valid requests for all operations over all protocols. */
export function createCorpus(keys: CorpusKeys): readonly Call[] {
  const calls: Call[] = [...samples(keys), ...rest].map(([method, path, body, ...headers]) => ({
    name: `REST ${method} ${path}`,
    http2Only: false,
    method,
    path,
    headers: [
      ["authorization", `Bearer ${keys.rich}`],
      ...(body === undefined ? [] : [["content-type", "application/json"] as [string, string]]),
      ...headers,
    ],
    body: Buffer.from(body ?? ""),
  }));
  for (const [method, json] of rpcs(keys)) {
    const message = fromJson(method.input, json);
    const binary = Buffer.from(toBinary(method.input, message));
    const text = Buffer.from(toJsonString(method.input, message));
    const secret = method.parent.typeName === AdminService.typeName ? keys.admin : keys.rich;
    const path = `/${method.parent.typeName}/${method.name}`;
    const add = (
      protocol: string,
      type: string,
      body: Buffer,
      more: [string, string][] = [],
      http2Only = false,
    ) =>
      calls.push({
        name: `${protocol} ${method.name}`,
        http2Only,
        method: "POST",
        path,
        headers: [["authorization", `Bearer ${secret}`], ["content-type", type], ...more],
        body,
      });
    const version: [string, string][] = [
      ["connect-protocol-version", "1"],
      ["connect-timeout-ms", "3000"],
    ];
    const timeout: [string, string][] = [["grpc-timeout", "3S"]];
    add("gRPC", "application/grpc", envelope(binary), [["te", "trailers"], ...timeout], true);
    add("gRPC-Web", "application/grpc-web+proto", envelope(binary), timeout);
    add("gRPC-Web JSON", "application/grpc-web+json", envelope(text), timeout);
    add("gRPC-Web text", "application/grpc-web-text", base64(envelope(binary)), timeout);
    if (method.methodKind === "unary") {
      add("Connect", "application/json", text, version);
      add("Connect", "application/proto", binary, version);
      calls.push({
        name: `Connect GET ${method.name}`,
        http2Only: false,
        method: "GET",
        path: `${path}?connect=v1&encoding=json&message=${encodeURIComponent(text.toString())}`,
        headers: [["authorization", `Bearer ${secret}`]],
        body: Buffer.alloc(0),
      });
    } else {
      add("Connect stream", "application/connect+json", envelope(text), version);
      add("Connect stream", "application/connect+proto", envelope(binary), version);
    }
  }
  return calls;
}

/** A length-prefixed message, as in gRPC and Connect streams. */
function envelope(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function base64(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("base64"), "latin1");
}
