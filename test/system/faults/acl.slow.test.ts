import { expect, test } from "vitest";
import { urlOfService, useRedis } from "../../support/stores.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { useStores } from "./stores.ts";

const redis = useRedis("--appendonly", "no");
const servers = useServers();
const own = useStores(redis);

test("a server runs as the user of `inventory redis-acl`: Redis refuses none of its commands", async () => {
  const { key } = own;
  const url = await urlOfService(redis.client, redis.url);
  await redis.client.call("ACL", "LOG", "RESET");

  const server = await servers.start({ REDIS_URL: url });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const stock = `${server.url}/v1/inventory`;
  const watch = await fetch(`${stock}:watch`, { headers });
  let events = "";
  const reading = (async () => {
    for await (const chunk of watch.body ?? []) events += Buffer.from(chunk).toString();
  })();
  const send = async (path: string, method = "GET", body?: string) => {
    const response = await fetch(stock + path, { method, headers, ...(body && { body }) });
    return response.status;
  };
  expect(await send("")).toBe(200);
  expect(await send("/1", "PATCH", '{"quantity":4}')).toBe(200);
  expect(await send("/1:adjust", "POST", '{"delta":2}')).toBe(200);
  expect(await send(":batchUpdate", "POST", '{"updates":[{"petId":1,"quantity":9}]}')).toBe(200);
  expect(await send("/1/changes")).toBe(200);
  expect(await send("", "GET")).toBe(200);
  expect((await fetch(`${stock}`)).status).toBe(401);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await until("the watch has the changes", () => events.includes('"quantityAfter":9'));
  server.kill("SIGTERM");
  await server.exited();
  await reading.catch(() => {});

  const log = (await redis.client.call("ACL", "LOG")) as string[][];
  const refused = log.map((entry) => entry[entry.indexOf("object") + 1]);
  expect(refused).toEqual([]);
});
