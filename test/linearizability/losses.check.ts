import { describe, expect, test } from "vitest";
import { useRedisProxy } from "../faults/redis-proxy.ts";
import { useServers } from "../faults/server-process.ts";
import { isQuick } from "../support/effort.ts";
import { loseChanges } from "./losses.ts";
import { type Patch, useMutant } from "./mutant.ts";
import { seed } from "./random.ts";

const proxy = useRedisProxy();

/** Faults that the check must find. Each is injected into a copy of the sources. */
const faults: Readonly<Record<string, readonly Patch[]>> = {
  "versions are counted": [
    {
      file: "stores/redis/stock/change.lua",
      from: "math.max(least, change.micros + change.lead)",
      to: "least",
    },
  ],
  "a history that lacks a version is read from there": [
    {
      file: "stores/redis/history/history.lua",
      from: "  if not entry then\n    return nil\n  end\n  local last, number",
      to: "  if not entry then\n    return { 0, {} }\n  end\n  local last, number",
    },
    {
      file: "stores/redis/history/history.lua",
      from: "if after == count and entry[2][BEFORE_AT] ~= version then",
      to: "if false then",
    },
  ],
};

describe("after Redis loses changes", () => {
  const servers = useServers();

  test("no client takes a lost change for current", async () => {
    const { replies, startedOver, violations } = await loseChanges(proxy, servers, [
      "restart",
      "failOver",
    ]);
    console.log(
      `seed ${seed}: ${replies.length} operations, ${startedOver} watches had to start over`,
    );
    expect(violations).toEqual([]);
    expect(startedOver).toBeGreaterThan(0);
    const operations = new Set(replies.map(({ what }) => what));
    expect(operations).toEqual(new Set(["set", "adjust", "batch", "order", "import", "list"]));
    expect(replies.some(({ unchanged }) => unchanged !== undefined)).toBe(true);
    expect(replies.some(({ expected }) => expected !== undefined)).toBe(true);
  });
});

describe.each(Object.entries(faults).slice(0, isQuick ? 1 : undefined))(
  "the injected fault: %s",
  (_, patches) => {
    const servers = useServers(useMutant(patches));

    test("makes the check fail", async () => {
      const { violations } = await loseChanges(proxy, servers, ["restart"]);
      expect(violations).not.toEqual([]);
    });
  },
);
