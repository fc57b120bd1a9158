import { EventEmitter } from "node:events";
import { Agent, request as requestH1 } from "node:http";
import { connect } from "node:http2";
import { Socket } from "node:net";
import { Stream } from "node:stream";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

// biome-ignore lint/suspicious/noExplicitAny: as node declares listeners.
type Callback = (...args: any[]) => unknown;

/** The places in src that register callbacks, and the place whose callback throws in the current test. */
const injection = vi.hoisted(() => ({
  isOn: false,
  places: new Set<string>(),
  throwing: undefined as string | undefined,
  thrown: 0,
}));

/** Wraps a callback so that it throws if its place is `injection.throwing`. */
const injected = vi.hoisted(() => (callback: Callback, what: string): Callback => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 20;
  const frames = String(new Error("where").stack).split("\n").slice(1);
  Error.stackTraceLimit = limit;
  // The first frame outside of this file and of functions that pass a registration on.
  const caller = frames.find(
    (frame) =>
      !frame.includes("guard.mock.test.ts") &&
      !/ at (?:\S+\.)?(?:on|once|off|guarded|socketListenerWrap|prependListener)(?: \[| \()/.test(
        frame,
      ),
  );
  const place = caller && /\/src\/([^)]*)/.exec(caller)?.[1];
  if (!injection.isOn || !place) return callback;
  const name = `${what} at ${place}`;
  injection.places.add(name);
  return function (this: unknown, ...args) {
    if (injection.throwing === name) {
      injection.thrown += 1;
      throw new Error(`injected: ${name}`);
    }
    return callback.apply(this, args);
  };
});

vi.mock("../../packages/connect-gateway/src/call/guard.ts", async (importOriginal) => {
  const original =
    await importOriginal<typeof import("../../packages/connect-gateway/src/call/guard.ts")>();
  return {
    ...original,
    guarded: (onThrow: (error: unknown) => void, callback: Callback) =>
      original.guarded(onThrow, injected(callback, "guarded")),
  };
});

const { prototype } = EventEmitter;
const { on, once, removeListener } = prototype;
const wrappers = new WeakMap<Callback, Callback>();
const uncaught: unknown[] = [];

function wrapped(event: string | symbol, listener: Callback): Callback {
  const wrapper = injected(listener, String(event));
  if (wrapper !== listener) wrappers.set(listener, wrapper);
  return wrapper;
}

/** The listeners of requests and responses only keep state and call guarded functions. */
function isGuarded(emitter: unknown): boolean {
  return !(emitter instanceof Stream) || emitter instanceof Socket;
}

beforeAll(() => {
  prototype.on = function (event, listener) {
    return on.call(this, event, isGuarded(this) ? wrapped(event, listener) : listener);
  };
  prototype.once = function (event, listener) {
    return once.call(this, event, isGuarded(this) ? wrapped(event, listener) : listener);
  };
  prototype.removeListener = function (event, listener) {
    removeListener.call(this, event, wrappers.get(listener as Callback) ?? listener);
    return removeListener.call(this, event, listener);
  };
  prototype.off = prototype.removeListener;
});
afterAll(() => {
  Object.assign(prototype, { on, once, removeListener, off: removeListener });
});

const proto = "application/proto";

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: Uint8Array | string;
  readonly expect?: boolean;
  /** True if the client disconnects during the response. */
  readonly disconnects?: boolean;
}

const change = { path: "/v1/inventory/1", method: "PATCH", type: "application/json" };

const call = (method: string, type: string, body: Uint8Array | string): Sent => ({
  path: `/inventory.v1.InventoryService/${method}`,
  method: "POST",
  type,
  body,
});

const sent: Readonly<Record<string, Sent>> = {
  "a list": { path: "/v1/inventory" },
  "a change": { ...change, body: '{"quantity":1}' },
  "a change with Expect: 100-continue": { ...change, body: '{"quantity":2}', expect: true },
  "an unused body": { path: "/v1/inventory", type: proto, method: "POST", body: "x".repeat(2_000) },
  "a long file": { path: "/openapi.json" },
  "a unary call": call("ListInventory", proto, ""),
  "a unary call in base64": call("ListInventory", "application/grpc-web-text", "AAAAAAA="),
  "an overlong message": call("ListInventory", "application/grpc-web-text", "!".repeat(90_000)),
  "a watch": { path: "/v1/inventory:watch", disconnects: true },
  "a watch over Connect": {
    ...call("WatchInventory", "application/connect+json", encodeEnvelope(0, Buffer.from("{}"))),
    disconnects: true,
  },
};

/** Timeout of the client for a response, in ms. */
const patienceMs = 150;

describe("a callback that throws", () => {
  const server = useServer(memoryKind, { REQUEST_TIMEOUT_MS: "100", HEADERS_TIMEOUT_MS: "100" });

  function overHttp1(key: string, { path, method, type, body, expect: waits, disconnects }: Sent) {
    const agent = new Agent({ keepAlive: true });
    return new Promise<void>((resolve) => {
      const done = () => {
        agent.destroy();
        resolve();
      };
      const headers = {
        authorization: `Bearer ${key}`,
        ...(type && { "content-type": type }),
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
        ...(waits && { expect: "100-continue" }),
      };
      const outgoing = requestH1(server.url + path, { method: method ?? "GET", headers, agent });
      outgoing.on("response", (incoming) => {
        incoming.on("data", () => disconnects && incoming.destroy());
        incoming.on("close", done);
        incoming.on("error", done);
      });
      outgoing.on("error", done);
      if (waits) outgoing.on("continue", () => outgoing.end(body));
      else outgoing.end(body);
      setTimeout(done, patienceMs);
    });
  }

  function overHttp2(key: string, { path, method, type, body, disconnects }: Sent) {
    const session = connect(server.url);
    return new Promise<void>((resolve) => {
      const done = () => {
        session.destroy();
        resolve();
      };
      session.on("error", done);
      session.on("close", done);
      const stream = session.request({
        ":path": path,
        ":method": method ?? "GET",
        authorization: `Bearer ${key}`,
        ...(type && { "content-type": type.replace(/^application\/proto$/, "application/grpc") }),
      });
      stream.on("error", done);
      stream.on("data", () => disconnects && stream.close());
      stream.on("close", done);
      stream.end(type === proto ? encodeEnvelope(0, new Uint8Array()) : body);
      setTimeout(done, patienceMs);
    });
  }

  const protocols = { "HTTP/1.1": overHttp1, "HTTP/2": overHttp2 };

  async function newKey(): Promise<string> {
    const accountId = await addAccount(server.stores, { plan: "business" });
    const { secret } = await addKey(server.stores, accountId);
    return secret;
  }

  async function collectPlaces(send: () => Promise<void>): Promise<string[]> {
    injection.places.clear();
    injection.isOn = true;
    await send();
    injection.isOn = false;
    return [...injection.places];
  }

  describe.each(Object.keys(protocols))("over %s", (protocol) => {
    test.each(Object.keys(sent))("during %s is logged and fails only the request", async (name) => {
      const what = sent[name];
      const sendBy = protocols[protocol as keyof typeof protocols];
      if (!what) throw new Error("unknown request");
      const key = await newKey();
      const onUncaught = (error: unknown) => uncaught.push(error);
      process.on("uncaughtExceptionMonitor", onUncaught);
      const places = await collectPlaces(() => sendBy(key, what));
      expect(places.length).toBeGreaterThan(0);
      for (const place of places) {
        injection.throwing = place;
        injection.thrown = 0;
        const before = server.faults.length;
        injection.isOn = true;
        await sendBy(key, what);
        injection.isOn = false;
        injection.throwing = undefined;
        if (injection.thrown > 0) expect(server.faults.length, place).toBeGreaterThan(before);
        const next = await fetch(`${server.url}/livez`, { headers: { connection: "close" } });
        expect(next.status, place).toBe(200);
      }
      process.off("uncaughtExceptionMonitor", onUncaught);
      expect(uncaught).toEqual([]);
    });
  });
});
