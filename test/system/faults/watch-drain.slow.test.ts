import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { reasonOf } from "../../../src/contract/errors.ts";
import { grpc, startWatch, watchProtocols } from "../../support/watch.ts";
import { useServers } from "../harness/server-process.ts";

/** A server whose only calls are watches must exit within this time, in ms. */
const promptMs = 1_000;

const servers = useServers();

test("SIGTERM: watches end at once with an error that says to reconnect, and the server exits", async () => {
  const server = await servers.start({ DRAIN_TIMEOUT_MS: "20000" });
  const secret = /inv_[0-9a-z]+/.exec(server.stdout)?.[0] ?? "";
  const watches = watchProtocols.map((protocol) =>
    startWatch(protocol, { url: server.url, secret }),
  );
  const another = startWatch(grpc, { url: server.url, secret });
  await Promise.all([...watches, another].map((watch) => watch.reached(5n)));

  const signalledAt = performance.now();
  server.kill("SIGTERM");
  const failures = await Promise.all(watches.map((watch) => watch.failure()));
  expect(failures.map(({ code }) => Code[code])).toEqual(watches.map(() => "Unavailable"));
  expect(failures.map(({ rawMessage }) => rawMessage)).toEqual(
    watches.map(() => expect.stringContaining("shutting down")),
  );
  expect(reasonOf(await another.failure())).toBe("SERVER_DRAINING");
  const { code, at } = await server.exited();
  expect(code).toBe(0);
  expect(at - signalledAt).toBeLessThan(promptMs);
});
