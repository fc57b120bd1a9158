import { expect, test } from "vitest";
import { expectHonest, expectRecovered, setUpMs, useOutage, within } from "./outage.ts";
import { codesOf } from "./traffic.ts";
import { until } from "./until.ts";

const outage = useOutage("--maxmemory-policy", "noeviction");

test("while Redis stalls: 503 in time; afterwards: recovery in time, and given-up updates do not overwrite later ones", {
  timeout: 2 * setUpMs,
}, async () => {
  const { redis, server, traffic, updaters, of } = outage;
  const areUpdated = () => updaters.every((each) => each.acknowledged >= 20);
  await until("every pet is updated", areUpdated, setUpMs);
  expect(codesOf(of("good"))).toEqual(["ok"]);

  redis.server.pause();
  const paused = performance.now();
  await outage.respondedSince(paused);
  // Long enough for the server to give up the connection, and a first attempt to reconnect.
  await server.printed("redis is not available", 2);
  const endOfOutage = performance.now();
  const during = within(traffic.samples, paused, endOfOutage).filter(
    ({ worker }) => worker !== "livez",
  );
  expect(codesOf(during)).toEqual(["unavailable"]);

  // Each updater stops at its first acknowledged update after the stall, so that no later update hides the effect of
  // given-up ones, which Redis may still read from the old connection.
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
  await outage.respondedSince(performance.now());
  expectRecovered(outage, back);
  await traffic.stop();

  expectHonest(outage);
  for (const each of updaters) {
    expect(await outage.quantityOf(each.petId)).toBe(each.acknowledged);
  }
  expect(server.exit).toBeUndefined();
});
