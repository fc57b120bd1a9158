import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { type CallOptions, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { codeWord } from "../../contract/unary-protocols.ts";

/** A request without a response after this time counts as hanging, in ms. */
const hangMs = 5_000;

/** A complete HTTP response. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Time from the call to the last byte of the response, in ms. */
  readonly ms: number;
}

/** The parts of a request in addition to its URL. */
export interface RequestParts {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  readonly agent?: Agent;
}

/** Creates a pool of keep-alive connections. */
export function keepAlive(maxSockets = Number.POSITIVE_INFINITY): Agent {
  return new Agent({ keepAlive: true, maxSockets });
}

/**
 * Sends a request and reads the whole response.
 *
 * @throws Error if the connection fails, or the response takes more than `hangMs`
 */
export function send(url: string, parts: RequestParts = {}): Promise<Reply> {
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
    const hang = setTimeout(
      () => sent.destroy(new Error(`no response within ${hangMs} ms`)),
      hangMs,
    );
    sent.once("error", fail);
    sent.end(body);
  });
}

/** The result of a call, in a form that is the same for all protocols. */
export interface Outcome {
  /** `ok`, or the code of the error in snake_case. */
  readonly code: string;
  /** The message of the error; empty if there was none. */
  readonly message: string;
  header(name: string): string | undefined;
  /** Time from the call to the end of the response, in ms. */
  readonly ms: number;
}

export interface Client {
  /** @throws Error if the response is incomplete or malformed */
  list(): Promise<Outcome>;
  /** @throws Error if the response is incomplete or malformed */
  set(petId: bigint, quantity: number): Promise<Outcome>;
  /**
   * Adjusts a quantity without an idempotency key.
   *
   * @throws Error if the response is incomplete or malformed
   */
  adjust(petId: bigint, delta: number, reference: string): Promise<Outcome>;
}

export function restClient(url: string, key: string, agent: Agent = keepAlive()): Client {
  const headers = { "content-type": "application/json" };
  const change = async (method: string, path: string, body: object) =>
    restOutcome(
      await send(url + path, { method, key, agent, headers, body: JSON.stringify(body) }),
    );
  return {
    async list() {
      return restOutcome(await send(`${url}/v1/inventory`, { key, agent }));
    },
    set: (petId, quantity) => change("PATCH", `/v1/inventory/${petId}`, { quantity }),
    adjust: (petId, delta, reference) =>
      change("POST", `/v1/inventory/${petId}:adjust`, { delta, reference }),
  };
}

/** The outcome of a REST call. @throws Error if an error response does not have the standard form */
export function restOutcome({ status, headers, body, ms }: Reply): Outcome {
  const header = (name: string) => headers[name.toLowerCase()]?.toString();
  if (status === 200) return { code: "ok", message: "", header, ms };
  const error: unknown = JSON.parse(body);
  if (
    header("content-type") !== "application/json" ||
    typeof error !== "object" ||
    error === null ||
    Object.keys(error).join() !== "code,message,status" ||
    !("status" in error && error.status === status)
  ) {
    throw new Error(`not a well-formed error: ${status} ${header("content-type")} ${body}`);
  }
  const { code, message } = error as unknown as Record<string, unknown>;
  return { code: String(code), message: String(message), header, ms };
}

/** Creates a Connect client over HTTP/1.1. */
export function connectClient(url: string, key: string, agent: Agent = keepAlive()): Client {
  return rpcClient(
    createConnectTransport({ baseUrl: url, httpVersion: "1.1", nodeOptions: { agent } }),
    key,
  );
}

/** Creates a gRPC client. @param session the HTTP/2 connection; a new one by default */
export function grpcClient(
  url: string,
  key: string,
  session: Http2SessionManager = new Http2SessionManager(url),
): Client {
  return rpcClient(createGrpcTransport({ baseUrl: url, sessionManager: session }), key);
}

/** Creates a gRPC-Web client over HTTP/1.1. */
export function grpcWebClient(url: string, key: string, agent: Agent = keepAlive()): Client {
  return rpcClient(
    createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1", nodeOptions: { agent } }),
    key,
  );
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
    adjust: (petId, delta, reference) =>
      outcomeOf((options) => client.adjustInventory({ petId, delta, reference }, options)),
  };
}

/**
 * The error that the service sent. If the connection failed, the client library made an error of the same class:
 * this function rethrows it.
 */
function serviceError(error: unknown): ConnectError {
  if (error instanceof ConnectError && reasonOf(error) !== undefined) return error;
  throw error;
}
