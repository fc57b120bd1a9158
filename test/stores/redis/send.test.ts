import { describe, expect, test } from "vitest";
import { createGroupCommit } from "../../../src/stores/redis/connection/group-commit.ts";
import type { RedisNode } from "../../../src/stores/redis/connection/node.ts";
import { startReplyDeadline } from "../../../src/stores/redis/connection/reply-deadline.ts";
import { sendUntilRun } from "../../../src/stores/redis/connection/send.ts";
import type { Topology } from "../../../src/stores/redis/connection/topology.ts";

/** Sends a change to a server that replies with an error. @returns how many changes may have been made */
async function changesAfter(message: string): Promise<number> {
  const record = { storeMs: 0, changesSent: 0 };
  const node = { isReady: () => true, redis: {}, recheck() {} } as unknown as RedisNode;
  const sent = sendUntilRun({} as Topology, node, {
    slot: 1,
    send: () => Promise.reject(new Error(message)),
    isChange: true,
    deadline: startReplyDeadline(10_000),
    changing: [{ record }],
    sentAt: undefined,
    repliedAt: undefined,
  });
  await expect(sent).rejects.toThrow(message);
  return record.changesSent;
}

describe("a change that fails with an error of Redis", () => {
  // Redis checks all of these before it runs a command or script. The texts are those of its source.
  test.each([
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
    "CLUSTERDOWN The cluster is down",
    "CLUSTERDOWN Hash slot not served",
    "DENIED Redis is running in protected mode",
    "LOADING Redis is loading the dataset in memory",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    "NOAUTH Authentication required.",
    "NOPERM User service has no permissions to run the 'evalsha' command",
    "NOREPLICAS Not enough good replicas to write.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "READONLY You can't write against a read only replica.",
  ])("was not made: %s", async (message) => {
    expect(await changesAfter(message)).toBe(0);
  });

  test.each([
    "ERR user_script:1: Script attempted to access nonexistent global variable 'x'",
    "UNKILLABLE Sorry the script already executed write commands against the dataset.",
    "Connection is closed.",
    "read ECONNRESET",
  ])("may have been made: %s", async (message) => {
    expect(await changesAfter(message)).toBe(1);
  });
});

describe("a change that two replicas must have", () => {
  const commit = (count: number) =>
    createGroupCommit({ wait: async () => count } as never, 2)(
      async () => "made",
      startReplyDeadline(10_000),
    );

  test("succeeds when both have it", async () => {
    expect(await commit(2)).toBe("made");
  });

  test("fails when one of them lacks it", async () => {
    await expect(commit(1)).rejects.toThrow("1 of 2 replicas have the change");
  });
});
