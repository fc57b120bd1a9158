import { beforeAll, describe, expect, test } from "vitest";
import { killServers, warmUp } from "./kills.ts";
import { useMutant } from "./mutant.ts";
import { useService } from "./service.ts";

describe("100 servers killed under load", () => {
  const service = useService();
  beforeAll(() => warmUp(service));

  test("no acknowledged change is lost, and none is made twice", async () => {
    const { disagreements, text, entries } = await killServers(service, 100, (killed) => {
      if (killed % 20 === 0) console.log(`  ${killed} of 100 servers killed`);
    });
    console.log(text);
    expect(disagreements).toEqual([]);
    expect(entries.some(({ outcome }) => outcome.kind === "unknown")).toBe(true);
    expect(entries.filter(({ sent }) => sent > 1).length).toBeGreaterThan(50);
  });
});

describe("a service that does not store the responses to idempotency keys", () => {
  const from = "redis.call('SET', outcome_key, entry, 'PX', whole(OUTCOME_TTL))";
  const service = useService({
    main: useMutant([{ file: "stores/redis/stock/outcome.lua", from, to: "" }]),
  });
  beforeAll(() => warmUp(service));

  test("makes the check fail, because a retried change is made twice", async () => {
    const { disagreements, text } = await killServers(service, 20);
    console.log(text);
    expect(disagreements.join("\n")).toMatch(/made twice/);
  });
});
