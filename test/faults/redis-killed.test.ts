import { expect, test } from "vitest";
import { expectHonest, expectRecovered, useOutage, within } from "./outage.ts";
import { codesOf } from "./traffic.ts";
import { until } from "./until.ts";

const outage = useOutage("--appendonly", "yes", "--appendfsync", "always");

test("Redis is killed under traffic, and comes back", async () => {
  const { redis, server, traffic, updaters, of } = outage;
  await until("every pet was updated", () => updaters.every((each) => each.acknowledged >= 20));
  expect(codesOf(of("good"))).toEqual(["ok"]);

  await redis.server.kill();
  const killed = performance.now();
  await outage.answeredSince(killed);
  // Long enough for attempts to connect again to fail.
  await server.printed("redis is not available", 3);
  const endOfOutage = performance.now();
  await traffic.stop("good update");
  const during = within(traffic.samples, killed, endOfOutage);
  expect(codesOf(during.filter(({ worker }) => worker !== "livez"))).toEqual(["unavailable"]);

  await redis.server.start();
  const back = performance.now();
  // A worker sends the next update only when the one before was answered. Redis executed them in the
  // order of their connection, so it holds the last one it acknowledged, or a later one.
  for (const { petId, acknowledged, sent } of updaters) {
    const quantity = await outage.quantityOf(petId);
    expect(quantity).toBeGreaterThanOrEqual(acknowledged);
    expect(quantity).toBeLessThanOrEqual(sent);
  }
  const before = updaters.map(({ sent }) => sent);
  for (const { worker, next } of updaters) {
    traffic.add(worker, next);
  }
  await until("the service is back", () =>
    updaters.every((each, index) => each.acknowledged > (before[index] ?? 0)),
  );
  await outage.answeredSince(performance.now());
  expectRecovered(outage, back);
  await traffic.stop();

  expectHonest(outage);
  for (const { petId, acknowledged, sent } of updaters) {
    expect(acknowledged).toBe(sent);
    expect(await outage.quantityOf(petId)).toBe(acknowledged);
  }
  expect(server.exit).toBeUndefined();
});
