import { beforeAll, describe, expect, test } from "vitest";
import { isQuick } from "../support/effort.ts";
import { killServers, warmUp } from "./kills.ts";
import { useMutant } from "./mutant.ts";
import { useService } from "./service.ts";

const kills = isQuick ? 20 : 100;

describe(`${kills} servers killed under load`, () => {
  const service = useService();
  beforeAll(() => warmUp(service));

  test("no acknowledged change is lost, and none is made twice", async () => {
    const { disagreements, text, entries } = await killServers(service, kills, (killed) => {
      if (killed % 20 === 0) console.log(`  ${killed} of ${kills} servers killed`);
    });
    console.log(text);
    expect(disagreements).toEqual([]);
    expect(entries.some(({ outcome }) => outcome.kind === "unknown")).toBe(true);
    expect(entries.filter(({ sent }) => sent > 1).length).toBeGreaterThan(kills / 2);
  });
});

describe("a service that does not store the responses to idempotency keys", () => {
  const from = "redis.call('SET', outcome_key, entry, 'PX', whole(OUTCOME_TTL))";
  const service = useService({
    main: useMutant([{ file: "stores/redis/stock/outcome.lua", from, to: "" }]),
  });
  beforeAll(() => warmUp(service));

  test("makes the check fail, because a retried change is made twice", async () => {
    const { disagreements, text } = await killServers(service, isQuick ? 10 : 20);
    console.log(text);
    expect(disagreements.join("\n")).toMatch(/made twice/);
  });
});
