import { queryObjects } from "node:v8";
import { expect, test } from "vitest";
import { Http1Request, Http1Response } from "../../src/http/exchange/http1-exchange.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { readBody, startListener } from "./support/listener.ts";

/** Returns how many requests and responses are in memory after a full garbage collection. */
function inMemory(): number {
  const count = (type: new (...args: never[]) => object) => queryObjects(type, { format: "count" });
  return count(Http1Request) + count(Http1Response);
}

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";
const post = "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nbody";

test.each([
  ["a request without a body", [get]],
  ["a request with a body", [post]],
  ["pipelined requests", [get + post + get]],
])("an idle connection does not keep %s in memory, nor a response", async (_, sent) => {
  let most = 0;
  const { port } = await startListener({
    async handle(request, response) {
      await readBody(request);
      most = Math.max(most, inMemory());
      response.end("done");
    },
  });
  const client = await connectHttp1(port, ...sent);
  for (const _request of sent.join("").matchAll(/HTTP/g)) await client.response();
  await expect.poll(inMemory).toBe(0);
  expect(most).toBeGreaterThanOrEqual(2);
});
