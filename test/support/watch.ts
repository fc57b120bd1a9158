import { request as http1Request, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { onTestFinished } from "vitest";
import {
  InventoryService,
  type WatchInventoryResponse,
  WatchInventoryResponseSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { httpJson } from "../../src/rest/json-form.ts";

/** Where, as whom and from where on is watched. */
export interface WatchRequest {
  readonly url: string;
  readonly secret: string;
  /** The last resume token; empty to begin with the whole stock. */
  readonly token?: string;
}

/** A way to watch. */
export interface WatchDialect {
  readonly name: string;
  messages(request: WatchRequest, signal: AbortSignal): AsyncIterable<WatchInventoryResponse>;
}

/** A watch under way: all that it was told is kept. */
export interface Watch {
  readonly told: readonly WatchInventoryResponse[];
  /** Resume token of the last message that had one. */
  readonly token: string;
  /** How it ended, once it has; `end` when without an error. */
  readonly end: ConnectError | "end" | undefined;
  /** Leaves, as a client does whose network breaks. */
  leave(): void;
  /** Waits until all up to a version has been told. @throws Error when the watch ends before */
  reached(version: bigint): Promise<void>;
  /** Waits for the error that it ends with. */
  failure(): Promise<ConnectError>;
}

/** Waits for a condition of a test. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | false,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(2);
  }
}

/** Watches until the test has finished, or the watch ends. */
export function startWatch(dialect: WatchDialect, request: WatchRequest): Watch {
  const told: WatchInventoryResponse[] = [];
  const own: { token: string; end: Watch["end"] } = { token: "", end: undefined };
  const controller = new AbortController();
  onTestFinished(() => controller.abort());

  async function read(): Promise<void> {
    try {
      for await (const message of dialect.messages(request, controller.signal)) {
        told.push(message);
        if (message.resumeToken !== "") own.token = message.resumeToken;
      }
      own.end = "end";
    } catch (error) {
      own.end = ConnectError.from(error);
    }
  }
  void read();

  return {
    told,
    get token() {
      return own.token;
    },
    get end() {
      return own.end;
    },
    leave: () => controller.abort(),
    async reached(version) {
      await eventually(`${dialect.name} was told all up to ${version}`, () => {
        if (own.end) throw new Error(`the watch ended: ${String(own.end)}`);
        return own.token !== "" && BigInt(own.token) >= version;
      });
    },
    failure: () =>
      eventually(`the watch by ${dialect.name} ends`, () => {
        if (own.end === "end") throw new Error("the watch ended without an error");
        return own.end;
      }),
  };
}

/** Versions of the changes that were told, in their order. */
export function versionsTold(told: readonly WatchInventoryResponse[]): bigint[] {
  return told.flatMap(({ event }) => (event.case === "change" ? [event.value.version] : []));
}

/** The kinds of messages that were told, but for heartbeats. */
export function kindsTold(told: readonly WatchInventoryResponse[]): (string | undefined)[] {
  return told.map(({ event }) => event.case).filter((kind) => kind !== "heartbeat");
}

/** What a client makes of what it is told: quantities by pet. @param before what it knew before */
export function stockTold(
  told: readonly WatchInventoryResponse[],
  before: ReadonlyMap<bigint, number> = new Map(),
): Map<bigint, number> {
  const stock = new Map(before);
  for (const { event } of told) {
    if (event.case === "snapshot") {
      for (const { petId, quantity = 0 } of event.value.items) stock.set(petId, quantity);
      for (const petId of event.value.removedPetIds) stock.delete(petId);
    } else if (event.case === "change") {
      const { petId, quantityAfter } = event.value;
      if (quantityAfter === undefined) stock.delete(petId);
      else stock.set(petId, quantityAfter);
    }
  }
  return stock;
}

function byRpc(name: string, makeTransport: (baseUrl: string) => Transport): WatchDialect {
  return {
    name,
    messages: ({ url, secret, token = "" }, signal) =>
      createClient(InventoryService, makeTransport(url)).watchInventory(
        { resumeToken: token },
        { signal, headers: { authorization: `Bearer ${secret}` } },
      ),
  };
}

/** The text of an answer, as it comes. */
async function* httpText(
  { url, secret }: WatchRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = http1Request(`${url}/v1/inventory:watch`, {
      agent: false,
      signal,
      headers: { authorization: `Bearer ${secret}`, ...headers },
    });
    request.on("error", reject).on("response", resolve).end();
  });
  response.setEncoding("utf8");
  if (response.statusCode !== 200) {
    throw errorOf((await response.toArray()).join(""));
  }
  yield* response;
}

/** Reads the body of an error. */
function errorOf(json: string): ConnectError {
  const { code, message } = JSON.parse(json) as { code: string; message: string };
  const number = Object.values(Code).find(
    (each) => typeof each === "string" && each.toLowerCase() === code.replaceAll("_", ""),
  );
  return new ConnectError(message, Code[number as keyof typeof Code]);
}

/** Cuts a text into what stands between separators. */
async function* between(text: AsyncIterable<string>, separator: string): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const parts = (rest + piece).split(separator);
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

function decode(json: string): WatchInventoryResponse {
  return httpJson.decodeJson(WatchInventoryResponseSchema, json);
}

const lastEventId = (token = ""): Record<string, string> =>
  token === "" ? {} : { "last-event-id": token };

export const ndjson: WatchDialect = {
  name: "NDJSON",
  async *messages(request, signal) {
    const headers = { accept: "application/x-ndjson", ...lastEventId(request.token) };
    for await (const line of between(httpText(request, headers, signal), "\n")) {
      if (line.startsWith('{"error":')) throw errorOf(line.slice('{"error":'.length, -1));
      yield decode(line);
    }
  },
};

/** Holds, too, that the id of each event is its resume token. */
export const serverSentEvents: WatchDialect = {
  name: "server-sent events",
  async *messages(request, signal) {
    const headers = { accept: "text/event-stream", ...lastEventId(request.token) };
    for await (const event of between(httpText(request, headers, signal), "\n\n")) {
      const fields = new Map(
        event
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(":")), line.replace(/^\w+: ?/, "")]),
      );
      const data = fields.get("data") ?? "";
      if (fields.get("event") === "error") throw errorOf(data);
      const message = decode(data);
      if ((fields.get("id") ?? "") !== message.resumeToken) {
        throw new Error(`the id of an event is not its resume token: ${event}`);
      }
      yield message;
    }
  },
};

export const connect = byRpc("Connect", (baseUrl) =>
  createConnectTransport({ baseUrl, httpVersion: "1.1" }),
);
export const grpc = byRpc("gRPC", (baseUrl) => createGrpcTransport({ baseUrl }));
const connectJson = byRpc("Connect with JSON", (baseUrl) =>
  createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: false }),
);
const grpcWeb = byRpc("gRPC-Web", (baseUrl) =>
  createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
);

/** Every way to watch. */
export const watchDialects = [connect, connectJson, grpc, grpcWeb, serverSentEvents, ndjson];
