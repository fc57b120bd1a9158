import { Code, ConnectError, createClient, type HandlerContext } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { requestOf } from "../../src/call/request-info.ts";
import { createGateway } from "../../src/server/gateway.ts";
import type { GatewayOptions } from "../../src/server/gateway-options.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";

/** Starts a stream that never ends by itself, and reads it until its end. Returns its error and the bugs that were found. */
async function follow(options: Partial<GatewayOptions>) {
  const faults: unknown[] = [];
  const gateway = createGateway({
    routes: ({ rpc }) =>
      rpc(ShelfService.method.scan, async function* (_, context) {
        yield { book: { title: "one" } };
        started(context);
        await new Promise(() => {});
      }),
    onFault: (fault) => void faults.push(fault),
    ...options,
  });
  let started = (_: HandlerContext) => {};
  onTestFinished(() => gateway.drain(0));
  const context = new Promise<HandlerContext>((resolve) => {
    started = resolve;
  });
  const { url } = await gateway.listen(0, "127.0.0.1");
  const transport = createConnectTransport({ baseUrl: url, httpVersion: "2" });
  const read = async () => {
    for await (const _ of createClient(ShelfService, transport).scan({}));
  };
  const error = read().then(
    () => undefined,
    (reason: unknown) => ConnectError.from(reason),
  );
  return { context, error, faults };
}

describe("end", () => {
  test.each([undefined, null, 0, "", false, "revoked", {}])(
    "without an error, but with %j, ends the stream as a bug does",
    async (reason) => {
      const { context, error, faults } = await follow({});
      const { signal } = await context;
      requestOf(await context).end(reason);
      expect([(await error)?.code, signal.aborted]).toEqual([Code.Internal, true]);
      const message = `end needs an error, not ${typeof reason}`;
      expect(faults).toEqual([new TypeError(message)]);
    },
  );

  const revoked = new ConnectError("revoked", Code.PermissionDenied);

  test.each(["requestGate", "before"])("in %s ends the stream when it begins", async (place) => {
    const end = (context: Pick<HandlerContext, "values">) => requestOf(context).end(revoked);
    const { error, faults } = await follow(
      place === "before" ? { guards: { before: () => end } } : { requestGate: end },
    );
    expect([(await error)?.rawMessage, faults]).toEqual(["revoked", []]);
  });
});
