import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { reasonOf } from "../../src/errors.ts";
import { grpc, startWatch, watchDialects } from "../support/watch.ts";
import { useServers } from "./server-process.ts";

/** How soon a server that only has watches to end has ended, in milliseconds. */
const promptMs = 1_000;

const servers = useServers();

test("SIGTERM: watches end at once, each told to connect again, and so does the server", async () => {
  const server = await servers.start({ DRAIN_TIMEOUT_MS: "20000" });
  const secret = /inv_[0-9a-z]+/.exec(server.stdout)?.[0] ?? "";
  const watches = watchDialects.map((dialect) => startWatch(dialect, { url: server.url, secret }));
  const another = startWatch(grpc, { url: server.url, secret });
  await Promise.all([...watches, another].map((watch) => watch.reached(5n)));

  const asked = performance.now();
  server.kill("SIGTERM");
  const failures = await Promise.all(watches.map((watch) => watch.failure()));
  expect(failures.map(({ code }) => Code[code])).toEqual(watches.map(() => "Unavailable"));
  expect(failures.map(({ rawMessage }) => rawMessage)).toEqual(
    watches.map(() => expect.stringContaining("shuts down")),
  );
  expect(reasonOf(await another.failure())).toBe("SERVER_DRAINING");
  const { code, at } = await server.exited();
  expect(code).toBe(0);
  expect(at - asked).toBeLessThan(promptMs);
});
