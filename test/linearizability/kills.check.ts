import { beforeAll, describe, expect, test } from "vitest";
import { killServers, warmUp } from "./kills.ts";
import { useMutant } from "./mutant.ts";
import { useService } from "./service.ts";

describe("200 servers killed under load", () => {
  const service = useService();
  beforeAll(() => warmUp(service));

  test("no acknowledged change is lost, and none is made twice", async () => {
    const { disagreements, text, entries } = await killServers(service, 200, (killed) => {
      if (killed % 20 === 0) console.log(`  ${killed} killed`);
    });
    console.log(text);
    expect(disagreements).toEqual([]);
    expect(entries.some(({ outcome }) => outcome.kind === "unknown")).toBe(true);
    expect(entries.filter(({ sent }) => sent > 1).length).toBeGreaterThan(50);
  });
});

describe("answers that are not remembered", () => {
  const from = "redis.call('SET', remembered, entry, 'PX', whole(ANSWER_KEPT))";
  const service = useService(useMutant([{ file: "redis/answer.lua", from, to: "" }]));
  beforeAll(() => warmUp(service));

  test("make a repeated change twice, and that is found", async () => {
    const { disagreements, text } = await killServers(service, 20);
    console.log(text);
    expect(disagreements.join("\n")).toMatch(/acknowledged, and done [2-9] times/);
  });
});
