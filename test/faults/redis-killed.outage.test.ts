import { expect, test } from "vitest";
import { expectHonest, expectRecovered, useOutage, within } from "./outage.ts";
import { codesOf } from "./traffic.ts";
import { until } from "./until.ts";

const outage = useOutage("--appendonly", "yes", "--appendfsync", "always");

test("while Redis is killed: 503 in time; after its restart: recovery in time, and no acknowledged update is lost", async () => {
  const { redis, server, traffic, updaters, of } = outage;
  await until("every pet is updated", () => updaters.every((each) => each.acknowledged >= 20));
  expect(codesOf(of("good"))).toEqual(["ok"]);

  await redis.server.kill();
  const killed = performance.now();
  await outage.respondedSince(killed);
  // Long enough for several reconnect attempts to fail.
  await server.printed("redis is not available", 3);
  const endOfOutage = performance.now();
  await traffic.stop("good update");
  const during = within(traffic.samples, killed, endOfOutage);
  expect(codesOf(during.filter(({ worker }) => worker !== "livez"))).toEqual(["unavailable"]);

  await redis.server.start();
  const back = performance.now();
  // A worker sends an update only after the response to the previous one, and Redis executes them in order. So it
  // holds the last acknowledged update or a later one.
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
  await outage.respondedSince(performance.now());
  expectRecovered(outage, back);
  await traffic.stop();

  expectHonest(outage);
  for (const { petId, acknowledged, sent } of updaters) {
    expect(acknowledged).toBe(sent);
    expect(await outage.quantityOf(petId)).toBe(acknowledged);
  }
  expect(server.exit).toBeUndefined();
});
