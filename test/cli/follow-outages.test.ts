import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, expect, test, vi } from "vitest";
import {
  type Followed,
  followToFiles,
  lostError,
  type RecordKind,
} from "../../src/cli/follow/follow.ts";
import type { RecordLine } from "../../src/cli/follow/line-files.ts";
import { directoryOfTest } from "../support/directory.ts";

afterEach(() => void vi.restoreAllMocks());

const line = (number: bigint): RecordLine => ({
  from: number,
  to: number,
  at: 0,
  text: `{"number":${number}}`,
});

const outage = () => {
  throw new ConnectError("no Redis", Code.Unavailable);
};

/**
 * Follows records. Each of `replies` is called once, in order, and returns records or fails. After the last one, the
 * command fails.
 *
 * @returns the numbers of the written records, and what was printed
 */
async function follow(...replies: (() => readonly RecordLine[])[]) {
  const directory = directoryOfTest();
  const followed: Followed = {
    start: async () => 0n,
    async since() {
      const reply = replies.shift();
      if (!reply) throw lostError("the test is over");
      const lines = reply();
      return { lines, total: lines.length };
    },
    replaced: () => lostError("replaced"),
  };
  const stderr = new PassThrough();
  const printed = text(stderr);
  const environment = {
    env: {},
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr,
    showsProgress: false,
  };
  const kind: RecordKind = {
    prefix: "records",
    record: "record",
    records: "records",
    number: "number",
    field: "number",
    setting: "LENGTH",
    pollMs: 0,
    time: /$/,
  };
  const options = { maxSize: 1_000_000, maxAge: 0 };
  await expect(
    followToFiles({ environment, directory, options, kind }, (work) => work(() => followed)),
  ).rejects.toThrow("the test is over");
  stderr.end();
  const [name = ""] = (await readdir(directory)).filter((each) => each.endsWith(".ndjson"));
  const content = await readFile(join(directory, name), "utf8");
  const numbers = [...content.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  return { numbers, stderr: await printed };
}

const waiting = "Redis is not available: retrying until it is\n";

test("a follower waits for Redis while it catches up, and says so once", async () => {
  const { numbers, stderr } = await follow(
    outage,
    outage,
    () => [line(1n)],
    () => [line(2n)],
  );
  expect([numbers, stderr]).toEqual([[1, 2], waiting]);
});

test("a follower says again that it waits, in an outage after Redis was available for long", async () => {
  let laterMs = 0;
  const { now } = performance;
  vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + laterMs);
  const afterAnHour = () => {
    laterMs += 3_600_000;
    return [line(2n)];
  };
  const { numbers, stderr } = await follow(
    () => [line(1n)],
    outage,
    outage,
    afterAnHour,
    outage,
    () => [line(3n)],
  );
  expect([numbers, stderr]).toEqual([[1, 2, 3], waiting + waiting]);
});
