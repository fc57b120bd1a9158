import { request as http1Request, type IncomingMessage } from "node:http";
import { request as http1TlsRequest } from "node:https";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { onTestFinished } from "vitest";
import {
  InventoryService,
  type PetStatus,
  PetStatusSchema,
  type WatchInventoryResponse,
  WatchInventoryResponseSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../src/common/enum-word.ts";
import { httpJson } from "../../src/contract/json.ts";
import { until } from "../system/harness/until.ts";

/** The server, the API key and the resume token of a watch. */
export interface WatchRequest {
  readonly url: string;
  readonly secret: string;
  /** The token to resume after; empty to begin with a snapshot of the whole stock. */
  readonly token?: string;
  /** All items belong to an empty one, as to an absent one. */
  readonly selection?: SelectionFields;
  /** Whether the watch ends after its first ready message. */
  readonly once?: boolean;
}

export interface SelectionFields {
  readonly status?: PetStatus;
  readonly minQuantity?: number;
  readonly maxQuantity?: number;
  readonly petIds?: bigint[];
}

/** Returns a selection as the query of a request over HTTP. */
export function queryOf({ status, petIds = [], ...quantities }: SelectionFields): string {
  return [
    ...(status === undefined ? [] : [`status=${enumWord(PetStatusSchema, status)}`]),
    ...Object.entries(quantities).map(([name, value]) => `${name}=${value}`),
    ...petIds.map((petId) => `petIds=${petId}`),
  ].join("&");
}

/** A protocol or format of WatchInventory. */
export interface WatchProtocol {
  readonly name: string;
  messages(request: WatchRequest, signal: AbortSignal): AsyncIterable<WatchInventoryResponse>;
}

/** An open watch, with all messages that it has received. */
export interface Watch {
  readonly received: readonly WatchInventoryResponse[];
  /** Resume token of the last message that has one; empty before. */
  readonly token: string;
  /** The error that ended the watch, or `end`; undefined while it is open. */
  readonly end: ConnectError | "end" | undefined;
  /** Disconnects without notice, as when the network breaks. */
  disconnect(): void;
  /** Waits until the watch has received everything up to a version. @throws Error if the watch ends before */
  reached(version: bigint): Promise<void>;
  /** Waits for the error that ends the watch. */
  failure(): Promise<ConnectError>;
}

/** Starts a watch, which ends with the test at the latest. */
export function startWatch(protocol: WatchProtocol, request: WatchRequest): Watch {
  const received: WatchInventoryResponse[] = [];
  const own: { token: string; end: Watch["end"] } = { token: "", end: undefined };
  const controller = new AbortController();
  onTestFinished(() => controller.abort());

  async function read(): Promise<void> {
    try {
      for await (const message of protocol.messages(request, controller.signal)) {
        received.push(message);
        if (message.resumeToken !== "") own.token = message.resumeToken;
      }
      own.end = "end";
    } catch (error) {
      own.end = ConnectError.from(error);
    }
  }
  void read();

  return {
    received,
    get token() {
      return own.token;
    },
    get end() {
      return own.end;
    },
    disconnect: () => controller.abort(),
    async reached(version) {
      await until(`the watch over ${protocol.name} reaches version ${version}`, () => {
        if (own.end) throw new Error(`the watch ended: ${String(own.end)}`);
        return own.token !== "" && BigInt(own.token) >= version;
      });
    },
    failure: () =>
      until(`the watch over ${protocol.name} ends`, () => {
        if (own.end === "end") throw new Error("the watch ended without an error");
        return own.end;
      }),
  };
}

/** The versions of the received changes, in order. */
export function versionsOf(received: readonly WatchInventoryResponse[]): bigint[] {
  return received.flatMap(({ event }) => (event.case === "change" ? [event.value.version] : []));
}

/** The kinds of the received messages, without heartbeats. */
export function kindsOf(received: readonly WatchInventoryResponse[]): (string | undefined)[] {
  return received.map(({ event }) => event.case).filter((kind) => kind !== "heartbeat");
}

/** Applies received messages to a stock. @returns quantities by pet id */
export function stockAfter(
  received: readonly WatchInventoryResponse[],
  before: ReadonlyMap<bigint, number> = new Map(),
): Map<bigint, number> {
  const stock = new Map(before);
  for (const { event } of received) {
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

function byRpc(name: string, makeTransport: (baseUrl: string) => Transport): WatchProtocol {
  return {
    name,
    messages: ({ url, secret, token = "", selection, once = false }, signal) =>
      createClient(InventoryService, makeTransport(url)).watchInventory(
        { resumeToken: token, ...selection, once },
        { signal, headers: { authorization: `Bearer ${secret}` } },
      ),
  };
}

/** The chunks of a response as text. */
async function* httpText(
  { url, secret, selection = {}, once = false }: WatchRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.startsWith("https:") ? http1TlsRequest : http1Request;
    const query = [queryOf(selection), once ? "once=true" : ""].filter(Boolean).join("&");
    const request = send(`${url}/v1/inventory:watch?${query}`, {
      agent: false,
      signal,
      headers: { authorization: `Bearer ${secret}`, ...headers },
    });
    request.on("error", reject).on("response", resolve).end();
  });
  response.setEncoding("utf8");
  if (response.statusCode !== 200) throw errorOf((await response.toArray()).join(""));
  yield* response;
}

/** Parses the JSON body of an error. */
function errorOf(json: string): ConnectError {
  const { code, message } = JSON.parse(json) as { code: string; message: string };
  const number = Object.values(Code).find(
    (each) => typeof each === "string" && each.toLowerCase() === code.replaceAll("_", ""),
  );
  return new ConnectError(message, Code[number as keyof typeof Code]);
}

/** Splits a stream of text at a separator. */
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

export const ndjson: WatchProtocol = {
  name: "NDJSON",
  async *messages(request, signal) {
    const headers = { accept: "application/x-ndjson", ...lastEventId(request.token) };
    for await (const line of between(httpText(request, headers, signal), "\n")) {
      if (line.startsWith('{"error":')) throw errorOf(line.slice('{"error":'.length, -1));
      yield decode(line);
    }
  },
};

/** Also checks that the id of each event is its resume token. */
const serverSentEvents: WatchProtocol = {
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
      if (fields.get("event") === "end") return;
      const message = decode(data);
      if ((fields.get("id") ?? "") !== message.resumeToken) {
        throw new Error(`the id of the event is not its resume token: ${event}`);
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

/** The JSON array, which can be parsed when the watch has ended. */
export const jsonArray: WatchProtocol = {
  name: "a JSON array",
  async *messages(request, signal) {
    const chunks = httpText(request, lastEventId(request.token), signal);
    const text = (await Array.fromAsync(chunks)).join("");
    for (const json of text.slice(1, -1).split(/,(?=\{"(?:snapshot|ready|change|error)":\{)/)) {
      if (json.startsWith('{"error":')) throw errorOf(json.slice('{"error":'.length, -1));
      yield decode(json);
    }
  },
};

/** All protocols and formats of WatchInventory in which messages can be read as they arrive. */
export const watchProtocols = [connect, connectJson, grpc, grpcWeb, serverSentEvents, ndjson];
