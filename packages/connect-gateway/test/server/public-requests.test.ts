import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { createPublicRequests } from "../../src/server/public-requests.ts";

/** Requests whose handlers take 1 ms. */
function setUp() {
  const served: string[] = [];
  const serve = createPublicRequests();
  const request = (name: string, client: string, fails = false) => {
    const response = { destroyed: false, declaredLength: 0 };
    const handle = () => {
      for (const until = performance.now() + 1; performance.now() < until; );
      served.push(name);
      if (fails) throw new Error(name);
    };
    const context = { serve: handle, response } as never;
    const done = serve(context, client);
    return { response, done };
  };
  return { served, request };
}

test("an event-loop tick begins a few of many requests, and later ticks the others", async () => {
  const { served, request } = setUp();
  const all = Array.from({ length: 50 }, () => request("watch", "192.0.2.1").done);
  expect(served.length).toBeLessThan(10);
  await nextTick();
  expect(served.length).toBeLessThan(20);
  await Promise.all(all);
  expect(served).toHaveLength(50);
});

test("a client does not wait for all requests of another address", async () => {
  const { served, request } = setUp();
  for (let n = 0; n < 50; n++) request("attacker", "192.0.2.1").done.catch(() => {});
  await request("honest", "192.0.2.2").done;
  expect(served.length).toBeLessThan(30);
});

test("a request is not served if its client disconnects while it waits", async () => {
  const { served, request } = setUp();
  const all = Array.from({ length: 20 }, () => request("watch", "192.0.2.1"));
  const last = request("cancelled", "192.0.2.1");
  last.response.destroyed = true;
  await Promise.all([...all, last].map(({ done }) => done));
  expect(served).toEqual(Array.from({ length: 20 }, () => "watch"));
});

test("an error of a handler reaches the caller, in the same tick or in a later one", async () => {
  const { request } = setUp();
  const all = Array.from({ length: 20 }, (_, n) => request(`request ${n}`, "192.0.2.1", true));
  for (const [n, { done }] of all.entries()) await expect(done).rejects.toThrow(`request ${n}`);
});
