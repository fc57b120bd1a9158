import { Code } from "@connectrpc/connect";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { createRedisStores } from "../../../src/stores/redis/stores.ts";
import { useRedis } from "../../support/stores.ts";
import { until } from "../harness/until.ts";
import { useRedisProxy } from "./redis-proxy.ts";

const redis = useRedis("--appendonly", "no");
const proxy = useRedisProxy();

beforeAll(() => {
  proxy.target = redis.server.port;
});

const item = { petId: 1n, quantity: 1, status: PetStatus.SOLD };

test("Redis says after the deadline that it is the primary: the change is not sent", async () => {
  const sent: string[] = [];
  proxy.onRequest = (data) => {
    const command = data.toString();
    sent.push(command);
    if (/\brole\b/i.test(command)) proxy.delayMs = 500;
  };
  const late = createRedisStores(proxy.url);
  onTestFinished(() => late.close());
  await expect(late.inventory.create(item)).rejects.toMatchObject({ code: Code.Unavailable });
  proxy.delayMs = 0;
  await until("Redis responds again", () =>
    late.ready(1_000).then(
      () => true,
      () => false,
    ),
  );
  // Any command of the change would have arrived before. The check of permissions names its keys, too.
  const changes = sent.filter((command) => command.includes("inv:{stock}:items"));
  expect(changes.filter((command) => !command.includes("acl_check_cmd"))).toEqual([]);
});
