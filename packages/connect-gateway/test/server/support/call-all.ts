import {
  type CallOptions,
  ConnectError,
  type ConnectRouter,
  createClient,
  type HandlerContext,
  type Transport,
} from "@connectrpc/connect";
import { onTestFinished } from "vitest";
import { codeName } from "../../../src/call/rpc-names.ts";
import { createGateway } from "../../../src/server/gateway.ts";
import type { GatewayOptions } from "../../../src/server/gateway-options.ts";
import { GreetService } from "../../gen/shelf/v1/greet_pb.ts";
import { ShelfService } from "../../gen/shelf/v1/shelf_pb.ts";
import { protocols } from "../../rpc/support.ts";
import { connectHttp2, responseOf } from "./http2-client.ts";

/** What a client gets of a call. */
export interface Outcome {
  /** `ok`, or the code as Connect spells it. */
  readonly code: string;
  /** The message of an error, or the text of a response. */
  readonly message: string;
  /** Headers and trailers, those of an error included. */
  readonly headers: Headers;
}

/** Implements the two methods that {@link callAll} calls. */
export type Reply = (context: HandlerContext) => string | Promise<string>;

/** Serves a unary method and one with a stream of responses, which both reply with the same text. */
function routesOf(reply: Reply): (router: ConnectRouter) => void {
  return ({ service, rpc }) => {
    service(GreetService, { greet: async (_, context) => ({ text: await reply(context) }) });
    rpc(ShelfService.method.scan, async function* (_, context) {
      yield { book: { title: await reply(context) } };
    });
  };
}

/** Starts a gateway that ends with the test. @returns its URL, and what `onFault` gets */
export async function startGateway({
  reply = () => "hello",
  ...options
}: Partial<GatewayOptions> & { readonly reply?: Reply } = {}): Promise<{
  readonly url: string;
  readonly faults: unknown[];
}> {
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  const gateway = createGateway({ routes: routesOf(reply), onFault, ...options });
  onTestFinished(() => gateway.drain(0));
  const { url } = await gateway.listen(0, "127.0.0.1");
  return { url, faults };
}

/** How long a response may take, in milliseconds. Without a response, the call fails after it. */
const patienceMs = 20_000;

async function callRpc(transport: Transport, kind: Kind): Promise<Outcome> {
  const headers = new Headers();
  const add = (more: Headers) => more.forEach((value, name) => void headers.set(name, value));
  const options: CallOptions = { timeoutMs: patienceMs, onHeader: add, onTrailer: add };
  try {
    let message = "";
    if (kind === "unary") {
      message = (await createClient(GreetService, transport).greet({ name: "Ada" }, options)).text;
    } else {
      const { scan } = createClient(ShelfService, transport);
      for await (const { book } of scan({}, options)) message += book?.title;
    }
    return { code: "ok", message, headers };
  } catch (reason) {
    const { code, rawMessage, metadata } = ConnectError.from(reason);
    add(metadata);
    return { code: codeName("connect", code), message: rawMessage, headers };
  }
}

function outcomeOf(status: number, headers: Headers, body: string): Outcome {
  const parsed = JSON.parse(body);
  if (status >= 400) return { code: parsed.code, message: parsed.message, headers };
  if (!Array.isArray(parsed)) return { code: "ok", message: parsed.text, headers };
  const last = parsed.at(-1);
  if (last?.error) return { code: last.error.code, message: last.error.message, headers };
  return { code: "ok", message: parsed.map(({ title }) => title).join(""), headers };
}

const targets = { unary: "/v1/greetings/Ada", stream: "/v1/scan" } as const;

async function getHttp1(url: string, kind: Kind): Promise<Outcome> {
  const signal = AbortSignal.timeout(patienceMs);
  const response = await fetch(`${url}${targets[kind]}`, { signal });
  return outcomeOf(response.status, response.headers, await response.text());
}

async function getHttp2(url: string, kind: Kind): Promise<Outcome> {
  const session = connectHttp2(url);
  const signal = AbortSignal.timeout(patienceMs);
  const { headers, body } = await responseOf(
    session.request({ ":path": targets[kind] }, { signal }),
  );
  const fields = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  const texts = fields.map(([name, value]): [string, string] => [name, String(value)]);
  return outcomeOf(Number(headers[":status"]), new Headers(texts), body);
}

type Kind = keyof typeof targets;

/** The protocols over each version of HTTP. */
const ways: readonly (readonly [
  name: string,
  call: (url: string, kind: Kind) => Promise<Outcome>,
])[] = [
  ["JSON, HTTP/1.1", getHttp1],
  ["JSON, HTTP/2", getHttp2],
  ...protocols.map(
    ([name, open]) => [name, (url: string, kind: Kind) => callRpc(open(url), kind)] as const,
  ),
];

/** Calls both methods in all ways. @returns the outcomes, by the kind and the way of the call */
export async function callAll(url: string): Promise<Record<string, Outcome>> {
  const outcomes: Record<string, Outcome> = {};
  for (const kind of ["unary", "stream"] as const) {
    for (const [name, call] of ways) {
      outcomes[`${kind}, ${name}`] = await call(url, kind).catch((reason: unknown) => ({
        code: "no response",
        message: String(reason),
        headers: new Headers(),
      }));
    }
  }
  return outcomes;
}

/** The number of outcomes of {@link callAll}. */
export const callCount = 2 * ways.length;

export function each<T>(
  outcomes: Readonly<Record<string, Outcome>>,
  read: (outcome: Outcome) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(outcomes).map(([name, it]) => [name, read(it)]));
}

/** Returns outcomes that are the same in all ways. */
export function everywhere<T>(value: T): Record<string, T> {
  const kinds = ["unary", "stream"].flatMap((kind) => ways.map(([name]) => `${kind}, ${name}`));
  return Object.fromEntries(kinds.map((name) => [name, value]));
}
