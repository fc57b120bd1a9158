import { expect, test } from "vitest";
import { expectHonest, expectRecovered, setUpMs, useOutage, within } from "./outage.ts";
import { codesOf } from "./traffic.ts";
import { until } from "./until.ts";

const outage = useOutage("--maxmemory-policy", "noeviction");

test("Redis stalls under traffic, and goes on", { timeout: 2 * setUpMs }, async () => {
  const { redis, server, traffic, updaters, of } = outage;
  const areUpdated = () => updaters.every((each) => each.acknowledged >= 20);
  await until("every pet was updated", areUpdated, setUpMs);
  expect(codesOf(of("good"))).toEqual(["ok"]);

  redis.server.pause();
  const paused = performance.now();
  await outage.answeredSince(paused);
  // Long enough for the connection to be given up, and an attempt at another one too.
  await server.printed("redis is not available", 2);
  const endOfOutage = performance.now();
  const during = within(traffic.samples, paused, endOfOutage).filter(
    ({ worker }) => worker !== "livez",
  );
  expect(codesOf(during)).toEqual(["unavailable"]);

  // Each updater stops at its first update that is acknowledged again: no later one hides what
  // becomes of those that were given up, which Redis may still find in the old connection.
  await traffic.stop("good update");
  const acknowledged = updaters.map((each) => each.acknowledged);
  redis.server.resume();
  const back = performance.now();
  const reader = outage.client();
  for (const [index, each] of updaters.entries()) {
    traffic.add(each.worker, () =>
      each.acknowledged > (acknowledged[index] ?? 0) ? reader.list() : each.next(),
    );
  }
  await until("the service is back", () =>
    updaters.every((each, index) => each.acknowledged > (acknowledged[index] ?? 0)),
  );
  await outage.answeredSince(performance.now());
  expectRecovered(outage, back);
  await traffic.stop();

  expectHonest(outage);
  for (const each of updaters) {
    expect(await outage.quantityOf(each.petId)).toBe(each.acknowledged);
  }
  expect(server.exit).toBeUndefined();
});
