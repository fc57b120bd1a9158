import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import {
  type CallOptions,
  Code,
  ConnectError,
  createClient,
  type Transport,
} from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../src/errors.ts";

/** After how long a request that is not answered counts as one that hangs. */
const hangMs = 5_000;

/** An HTTP answer, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** From the call to the last byte of the answer. */
  readonly ms: number;
}

/** What a request may be made of besides its URL. */
export interface RequestParts {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  readonly agent?: Agent;
}

/** A pool of connections that are kept. */
export function keepAlive(maxSockets = Number.POSITIVE_INFINITY): Agent {
  return new Agent({ keepAlive: true, maxSockets });
}

/**
 * Sends a request and reads the whole answer.
 *
 * @throws Error when the connection fails, or the answer takes too long
 */
export function send(url: string, parts: RequestParts = {}): Promise<Answer> {
  const { method = "GET", key, headers = {}, body, agent } = parts;
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const sent = request(
      url,
      {
        method,
        agent,
        headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("error", fail);
        response.once("end", () => {
          clearTimeout(hang);
          const ms = performance.now() - begun;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, ms });
        });
      },
    );
    const fail = (error: Error) => {
      clearTimeout(hang);
      reject(error);
    };
    const hang = setTimeout(() => sent.destroy(new Error(`no answer within ${hangMs} ms`)), hangMs);
    sent.once("error", fail);
    sent.end(body);
  });
}

/** What became of a call, in the words that all protocols share. */
export interface Outcome {
  /** `ok`, or the error's code in snake_case. */
  readonly code: string;
  /** Empty when there was no error. */
  readonly message: string;
  header(name: string): string | undefined;
  /** From the call to the end of the answer. */
  readonly ms: number;
}

/** Calls the service by one of its protocols. */
export interface Client {
  /** @throws Error when there is no whole and well-formed answer */
  list(): Promise<Outcome>;
  /** @throws Error when there is no whole and well-formed answer */
  set(petId: bigint, quantity: number): Promise<Outcome>;
}

/** A client by JSON over HTTP. */
export function restClient(url: string, key: string, agent: Agent = keepAlive()): Client {
  return {
    async list() {
      return restOutcome(await send(`${url}/v1/inventory`, { key, agent }));
    },
    async set(petId, quantity) {
      return restOutcome(
        await send(`${url}/v1/inventory/${petId}`, {
          method: "PATCH",
          key,
          agent,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ quantity }),
        }),
      );
    },
  };
}

/** @throws Error when an error is not in the form that every error has */
export function restOutcome({ status, headers, body, ms }: Answer): Outcome {
  const header = (name: string) => headers[name.toLowerCase()]?.toString();
  if (status === 200) {
    return { code: "ok", message: "", header, ms };
  }
  const error: unknown = JSON.parse(body);
  if (
    header("content-type") !== "application/json" ||
    typeof error !== "object" ||
    error === null ||
    Object.keys(error).join() !== "code,message,status" ||
    !("status" in error && error.status === status)
  ) {
    throw new Error(`not the form of an error: ${status} ${header("content-type")} ${body}`);
  }
  const { code, message } = error as unknown as Record<string, unknown>;
  return { code: String(code), message: String(message), header, ms };
}

/** A client by the Connect protocol over HTTP/1.1. */
export function connectClient(url: string, key: string, agent: Agent = keepAlive()): Client {
  return rpcClient(
    createConnectTransport({ baseUrl: url, httpVersion: "1.1", nodeOptions: { agent } }),
    key,
  );
}

/** A client by gRPC, over one HTTP/2 connection. */
export function grpcClient(url: string, key: string): Client {
  return rpcClient(createGrpcTransport({ baseUrl: url }), key);
}

function rpcClient(transport: Transport, key: string): Client {
  const client = createClient(InventoryService, transport);

  async function outcomeOf(call: (options: CallOptions) => Promise<unknown>): Promise<Outcome> {
    const begun = performance.now();
    let headers = new Headers();
    let failure: ConnectError | undefined;
    try {
      await call({
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(hangMs),
        onHeader(received) {
          headers = received;
        },
      });
    } catch (error) {
      failure = serviceError(error);
      headers = failure.metadata;
    }
    return {
      code: failure ? codeWord(failure.code) : "ok",
      message: failure?.rawMessage ?? "",
      header: (name) => headers.get(name) ?? undefined,
      ms: performance.now() - begun,
    };
  }

  return {
    list: () => outcomeOf((options) => client.listInventory({}, options)),
    set: (petId, quantity) =>
      outcomeOf((options) => client.updateInventory({ petId, update: { quantity } }, options)),
  };
}

/**
 * The error that the service sent. A client makes one of its own, of the same class, when a connection
 * fails: that one is thrown on.
 */
function serviceError(error: unknown): ConnectError {
  if (error instanceof ConnectError && reasonOf(error) !== undefined) {
    return error;
  }
  throw error;
}

/** `resource_exhausted` and so on. */
export function codeWord(code: Code): string {
  return Code[code].replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
}
