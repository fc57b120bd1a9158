import { describe, expect, test } from "vitest";
import { killServers } from "./kills.ts";
import { useService } from "./service.ts";

// A short version of kills.check.ts.
describe("servers killed under load", () => {
  const service = useService();

  test("no acknowledged change is lost, and none is made twice", async () => {
    const { disagreements, entries, text } = await killServers(service, 3);
    expect(disagreements, text).toEqual([]);
    expect(entries.length).toBeGreaterThan(0);
  }, 60_000);
});
