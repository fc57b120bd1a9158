import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trackedFiles } from "../support/tracked-files.ts";

const root = join(import.meta.dirname, "../..");

/** Files whose tests show how soon stores fail. All other tests use `test/support/redis-stores.ts`. */
const withRealBudget = [
  "test/faults/ack-replicas.slow.test.ts",
  "test/faults/change-outcomes.slow.test.ts",
  "test/faults/cluster-uncovered.slow.test.ts",
  "test/faults/late-replies.slow.test.ts",
  "test/faults/redis-slow-commands.outage.test.ts",
  "test/faults/redis-start-up.slow.test.ts",
  "test/faults/redis-watched.slow.test.ts",
  "test/faults/shared-list.slow.test.ts",
  "test/support/redis-stores.ts",
];

test("only tests of outages use the time budget of the service, in which a busy machine looks like an outage", () => {
  const files = trackedFiles("test/**/*.ts").filter((file) =>
    /\b(?:createRedisStores|connectRedis)\(/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(files).toEqual(withRealBudget);
});
