import { expect, test } from "vitest";
import { collectGarbage } from "../../../../test/support/collect-garbage.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { readBody, startListener } from "./support/listener.ts";

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";
const post = "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nbody";

test.each([
  ["a request without a body", [get]],
  ["a request with a body", [post]],
  ["pipelined requests", [get + post + get]],
])("an idle connection does not keep %s in memory, nor a response", async (_, sent) => {
  // Other tests of this worker may have requests in memory, so these are counted one by one.
  const exchanged: WeakRef<object>[] = [];
  const inMemory = () => {
    collectGarbage({ type: "major", execution: "sync" });
    return exchanged.filter((reference) => reference.deref() !== undefined).length;
  };
  const { port } = await startListener({
    async handle(exchange) {
      exchanged.push(new WeakRef(exchange), new WeakRef(exchange));
      await readBody(exchange);
      exchange.end("done");
    },
  });
  const client = await connectHttp1(port, ...sent);
  const requests = [...sent.join("").matchAll(/HTTP/g)].length;
  for (let read = 0; read < requests; read += 1) await client.response();
  expect(exchanged).toHaveLength(2 * requests);
  await expect.poll(inMemory).toBe(0);
});
