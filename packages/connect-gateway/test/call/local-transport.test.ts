import { Code, ConnectError, createClient, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test, vi } from "vitest";
import { createLocalTransport } from "../../src/call/local-transport.ts";
import { requestOf } from "../../src/call/request-info.ts";
import { GreetService } from "../gen/shelf/v1/greet_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";

const bug = new Error("private");
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(bug)));

/** Implements a unary method and one with a stream of responses by one function. */
function clientOf(reply: (context: HandlerContext) => unknown) {
  const transport = createLocalTransport(
    {
      routes({ rpc }) {
        rpc(GreetService.method.greet, async (_, context) => ({ text: `${await reply(context)}` }));
        rpc(ShelfService.method.scan, async function* ({ limit }, context) {
          yield { book: { title: `${limit}: ${await reply(context)}` } };
        });
      },
    },
    (values) => values,
  );
  const { scan } = createClient(ShelfService, transport);
  const { greet } = createClient(GreetService, transport);
  type Options = Parameters<typeof greet>[1];
  return {
    unary: async (options?: Options) => (await greet({}, options)).text,
    stream: async (options?: Options) =>
      (await Array.fromAsync(scan({ limit: 3 }, options)))[0]?.book?.title,
  };
}

describe.each(["unary", "stream"] as const)("a %s call within the process", (kind) => {
  test("has the headers and the timeout of the client", async () => {
    const call = clientOf(({ requestHeader, timeoutMs }) =>
      [requestHeader.get("X-A"), Number(timeoutMs()) > 1_000].join(),
    )[kind];
    expect(await call({ headers: [["x-a", "b"]], timeoutMs: 60_000 })).toContain("b,true");
  });

  test.each([
    ["its client aborts it", Code.Canceled, () => ({ signal: AbortSignal.timeout(1) })],
    ["its deadline passes", Code.DeadlineExceeded, () => ({ timeoutMs: 100 })],
  ])("ends when %s, and its signal is aborted", async (_, code, options) => {
    const signals: AbortSignal[] = [];
    const call = clientOf(({ signal }) => signals.push(signal) && aborted(signal))[kind];
    await expect(call(options())).rejects.toMatchObject({ code });
    expect(signals[0]?.aborted).toBe(true);
  });

  test("whose signal is aborted already does not reach the method", async () => {
    const reply = vi.fn();
    const calling = clientOf(reply)[kind]({ signal: AbortSignal.abort() });
    await expect(calling).rejects.toMatchObject({ code: Code.Canceled });
    expect(reply).not.toHaveBeenCalled();
  });

  test("fails with internal for a bug, which is the cause", async () => {
    const error = await clientOf(() => Promise.reject(bug))
      [kind]()
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({ code: Code.Internal, cause: bug });
    expect(error.message).not.toContain("private");
  });

  test("fails with the response headers as metadata, as over the network", async () => {
    const error = await clientOf(({ responseHeader }) => {
      responseHeader.set("x-a", "b");
      throw new ConnectError("refused", Code.NotFound);
    })
      [kind]()
      .catch((reason) => reason);
    expect([error.code, error.metadata.get("x-a")]).toEqual([Code.NotFound, "b"]);
  });

  test("ends with the error of the request's end", async () => {
    const revoked = new ConnectError("revoked", Code.PermissionDenied);
    const call = clientOf((context) => {
      requestOf(context).end(revoked);
      return aborted(context.signal);
    })[kind];
    await expect(call()).rejects.toBe(revoked);
  });
});
