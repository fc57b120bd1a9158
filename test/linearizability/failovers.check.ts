import { beforeAll, describe, expect, test } from "vitest";
import { useSentinels } from "../faults/redis-groups.ts";
import { isQuick } from "../support/effort.ts";
import { buildChecker } from "./checker.ts";
import { killPrimaries } from "./failovers.ts";
import { useMutant } from "./mutant.ts";
import { useServiceOn } from "./service.ts";

const kills = isQuick ? 2 : 20;

beforeAll(buildChecker);

describe(`${kills} primaries killed under load, with REDIS_ACK_REPLICAS=1`, () => {
  const redis = useSentinels({ downAfterMs: 2_000 });
  const service = useServiceOn(() => ({ ...redis.group.environment, REDIS_ACK_REPLICAS: "1" }));

  test("the history is linearizable: no acknowledged change is lost or made twice", async () => {
    const { disagreements, linearizable, text, entries } = await killPrimaries(
      "failovers",
      service,
      redis.group,
      kills,
    );
    expect(disagreements, text).toEqual([]);
    expect(linearizable, text).toBe(true);
    expect(entries.some(({ outcome }) => outcome.kind === "unknown")).toBe(true);
    expect(entries.filter(({ sent }) => sent > 1).length).toBeGreaterThan(kills);
  });
});

describe.skipIf(isQuick)("a service that does not wait for replicas", () => {
  const redis = useSentinels({ downAfterMs: 2_000 });
  const service = useServiceOn(() => ({ ...redis.group.environment, REDIS_ACK_REPLICAS: "1" }), {
    main: useMutant([
      {
        file: "stores/redis/connection/group-commit.ts",
        from: "redis.wait(replicas, waitMs)",
        to: "Promise.resolve(replicas)",
      },
    ]),
  });

  test("makes the check fail, because acknowledged changes are lost", async () => {
    // A client that uses a lost order ends the run.
    const found = await killPrimaries("uncounted", service, redis.group, 2).then(
      ({ disagreements }) => disagreements.join("\n"),
      String,
    );
    expect(found).toMatch(/acknowledged, but not made|Order \d+ does not exist/);
  });
});
