import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type Transport } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import {
  InventoryService,
  WatchInventoryResponseSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { listen } from "../../support/listen.ts";

/** A server in front of the service that refuses some calls, as `outcomes` and the ids below say. */
export interface ScriptedServer {
  readonly http1: string;
  readonly http2: string;
  /** The times of the calls of a method, in milliseconds. */
  calls(method: string): readonly number[];
  stop(): void;
}

/** The methods whose responses all are lost, by the hold. */
const lostMethods: Readonly<Record<string, string>> = {
  "put-lost": "PutHold",
  "confirm-lost": "ConfirmHold",
};

/** The pet for which the server has a reason that clients do not know. */
export const quarantinedPet = 7_001n;
/** The pet whose first adjustment is refused for some time, and that time in milliseconds. */
export const limitedPet = 7_002n;
export const limitedForMs = 1_200;

/** The time after which a refusal asks for a retry, in milliseconds: longer than calls may take, so clients give up. */
const tooLongMs = 60_000;
const lost = new ConnectError("A proxy lost the response.", Code.Unavailable);
const busy = refusal(Code.Aborted, "IDEMPOTENCY_KEY_IN_USE");
const overloaded = refusal(Code.Unavailable, "SERVER_OVERLOADED", { retryMs: 0 });
const limited = refusal(Code.ResourceExhausted, "RATE_LIMITED", { retryMs: tooLongMs });
function unavailable(changeOutcome: string, retryMs = tooLongMs): ConnectError {
  return refusal(Code.Unavailable, "STORE_UNAVAILABLE", { retryMs, metadata: { changeOutcome } });
}
/**
 * The errors of the attempts of a call, and the outcome of the change that the client is to report: `unknown` if any
 * attempt may have made it. By the pet of the call, the first of which is `firstOutcomePet`.
 */
export const outcomes: readonly (readonly [
  what: string,
  errors: ConnectError[],
  outcome: string,
])[] = [
  ["unchanged", [unavailable("unchanged")], "unchanged"],
  ["lost, then unchanged", [lost, unavailable("unchanged")], "unknown"],
  [
    "lost, then overloaded, then unchanged",
    [lost, overloaded, unavailable("unchanged")],
    "unknown",
  ],
  ["unknown, then unchanged", [unavailable("unknown", 0), unavailable("unchanged")], "unknown"],
  ["unchanged twice", [unavailable("unchanged", 0), unavailable("unchanged")], "unchanged"],
  ["overloaded, then unchanged", [overloaded, unavailable("unchanged")], "unchanged"],
  ["in use, then unchanged", [busy, unavailable("unchanged")], "unknown"],
  ["lost, then limited", [lost, limited], "unknown"],
  ["overloaded, then limited", [overloaded, limited], ""],
  ["lost, then revoked", [lost, refusal(Code.Unauthenticated, "KEY_REVOKED")], "unknown"],
  ["lost, then too small", [lost, refusal(Code.FailedPrecondition, "STOCK_TOO_SMALL")], ""],
];
export const firstOutcomePet = 7_100n;

/** An event of a watch that clients do not know: a field of the length 0. */
const unknownEvent = create(WatchInventoryResponseSchema);
unknownEvent.$unknown = [{ no: 1_001, wireType: 2, data: Uint8Array.of(0) }];

/** Starts the server. @param target URL of the service */
export async function startScriptedServer(target: string): Promise<ScriptedServer> {
  const upstream = createConnectTransport({ baseUrl: target, httpVersion: "2" });
  const calls = new Map<string, number[]>();
  const adapter = connectNodeAdapter({
    routes(router) {
      for (const service of [InventoryService, StoreService]) {
        const methods = service.methods.map((method) => {
          const times: number[] = [];
          calls.set(method.name, times);
          return [method.localName, implementation(method, upstream, times)];
        });
        router.service(service, Object.fromEntries(methods));
      }
    },
  });
  const http1 = createServer(adapter);
  const http2 = createHttp2Server(adapter);
  const sessions = new Set<{ destroy(): void }>();
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  return {
    http1: await listen(http1),
    http2: await listen(http2),
    calls: (method) => calls.get(method) ?? [],
    stop() {
      http1.close();
      http1.closeAllConnections();
      http2.close();
      for (const session of sessions) session.destroy();
    },
  };
}

function implementation(method: DescMethod, upstream: Transport, times: number[]) {
  const attempts = new Map<bigint, number>();
  const { methodKind } = method;
  if (methodKind === "unary") {
    return async (message: Message, context: HandlerContext) => {
      times.push(performance.now());
      refuse(method, message, times.length);
      failAttempt(attempts, message);
      const headers = forwarded(context);
      const response = await upstream.unary(
        { ...method, methodKind },
        context.signal,
        undefined,
        headers,
        message,
      );
      const { holdId = "" } = message as Message & { holdId?: string };
      if (lostMethods[holdId] === method.name) throw lost;
      return response.message;
    };
  }
  return async function* (message: Message, context: HandlerContext) {
    async function* input() {
      yield message;
    }
    const { message: responses } = await upstream.stream(
      { ...method, methodKind: "server_streaming" },
      context.signal,
      undefined,
      forwarded(context),
      input(),
    );
    yield unknownEvent;
    yield* responses;
  };
}

/** Refuses the calls that show how clients react to unknown reasons, delays and errors of a proxy. */
function refuse(method: DescMethod, message: Message, call: number): void {
  if (method.name === "CancelOrder") {
    throw new ConnectError("A proxy is overloaded.", Code.Unavailable);
  }
  if (method.name !== "AdjustInventory") return;
  const { petId } = message as Message & { petId: bigint };
  if (petId === quarantinedPet) throw refusal(Code.FailedPrecondition, "PET_QUARANTINED");
  if (petId === limitedPet && call === 1) {
    throw refusal(Code.ResourceExhausted, "RATE_LIMITED", { retryMs: limitedForMs });
  }
}

/** Throws the next error of a pet of `outcomes`. @param attempts the attempts before, by pet */
function failAttempt(attempts: Map<bigint, number>, message: Message): void {
  const { petId = 0n } = message as Message & { petId?: bigint };
  const [, errors] = outcomes[Number(petId - firstOutcomePet)] ?? [];
  if (!errors) return;
  const attempt = attempts.get(petId) ?? 0;
  attempts.set(petId, attempt + 1);
  throw errors[attempt % errors.length];
}

function refusal(
  code: Code,
  reason: string,
  { retryMs, metadata = {} }: { retryMs?: number; metadata?: Record<string, string> } = {},
): ConnectError {
  return new ConnectError(reason, code, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain: "inventory", metadata } },
    ...(retryMs === undefined
      ? []
      : [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryMs) } }]),
  ]);
}

/** Returns the headers to forward. Clients send idempotency keys in the message or in the header. */
function forwarded({ requestHeader }: HandlerContext): Headers {
  const names = ["authorization", "idempotency-key"];
  return new Headers([...requestHeader].filter(([name]) => names.includes(name)));
}
