import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stockChangesKey } from "../../src/stores/redis/keys.ts";

import { nth, origin, upTo, useFollow } from "./follow.ts";

const { redis, clock, own, inventory, change, follow, once, files, lines, written, lastFile } =
  useFollow();

describe("history follow --once", () => {
  test("writes every change with all fields", async () => {
    await change(1);
    clock.now += 1_250;
    await inventory().setQuantity(7n, 3, { origin });
    await inventory().remove(7n, origin);
    expect(await once()).toEqual({
      written: 3,
      version: nth(2) + 1_250_000,
      file: join(own.directory, `changes-000${nth(1)}.ndjson`),
    });
    const [, second = "", third = ""] = await lines();
    expect(JSON.parse(second)).toEqual({
      version: nth(1) + 1_250_000,
      petId: 7,
      quantityBefore: expect.any(Number),
      quantityAfter: 3,
      status: "sold",
      changedAt: "2026-07-15T10:20:31.650Z",
      ...origin,
      reason: "arrival",
    });
    expect(JSON.parse(third)).not.toHaveProperty("quantityAfter");
  });

  test("prints the number of changes, the last version and the file", async () => {
    await change(2);
    expect((await follow("--once")).stdout).toBe(
      `wrote 2 changes, up to version ${nth(2)}, to ${join(own.directory, `changes-000${nth(1)}.ndjson`)}\n`,
    );
  });

  test("creates no file if there are no changes", async () => {
    expect(await once()).toEqual({ written: 0, version: 0, file: null });
    expect(await files()).toEqual([]);
  });

  test("continues where it stopped and writes nothing twice", async () => {
    await change(3);
    expect(await once()).toMatchObject({ written: 3 });
    expect(await once()).toMatchObject({ written: 0, version: nth(3) });
    await change(1_200);
    expect(await once()).toMatchObject({ written: 1_200, version: nth(1_203) });
    expect(await written()).toEqual(upTo(1_203));
    expect(await files()).toHaveLength(1);
  });

  test.each([
    ["an incomplete line", '{"version":4,"petId":7,"quan'],
    ["an incomplete line that is longer than one read", `{"version":4,${"x".repeat(200_000)}`],
    ["zero bytes that a power failure left", "\0".repeat(5_000)],
  ])("removes %s at the end of the last file", async (_, torn) => {
    await change(3);
    await once();
    await appendFile(await lastFile(), torn);
    await change(2);
    expect(await once()).toMatchObject({ written: 2, version: nth(5) });
    expect(await written()).toEqual(upTo(5));
  });

  test("removes a file that has only an incomplete line", async () => {
    await change(3);
    await once();
    await appendFile(join(own.directory, `changes-000${nth(4)}.ndjson`), '{"vers');
    await change(1);
    expect(await once()).toMatchObject({ written: 1 });
    expect(await written()).toEqual(upTo(4));
    expect(await files()).toHaveLength(1);
  });

  test("rejects a file whose last line it did not write, and does not change it: exit code 1", async () => {
    await change(3);
    await once();
    const path = await lastFile();
    await appendFile(path, "something else\nand more");
    const before = await readFile(path, "utf8");
    expect(await follow("--once")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was not written by this command"),
    });
    expect(await readFile(path, "utf8")).toBe(before);
  });

  test("ignores other files in the directory", async () => {
    await change(1);
    await once();
    await appendFile(join(own.directory, "changes-9.ndjson"), "mine");
    await appendFile(join(own.directory, "zzz"), "mine");
    await change(1);
    expect(await once()).toMatchObject({ written: 1, version: nth(2) });
  });

  test.each(["1", "1023", "x", "64m", "-1", "99999G", ""])(
    "--max-size %j: exit code 2",
    async (size) => {
      expect(await follow("--once", "--max-size", size)).toMatchObject({ code: 2 });
    },
  );
});

describe("files of history follow", () => {
  test("a new one starts when the first change is --max-age old, also after a restart", async () => {
    for (let hour = 0; hour < 5; hour++) {
      await change(1);
      await once("--max-age", "2h");
      clock.now += 3_600_000;
    }
    const hours = (version: number) => (version - nth(1)) / 3_600_000_000;
    const starts = (await files()).map((name) => hours(Number(name.slice(8, 27))));
    expect(starts).toEqual([0, 2, 4]);
    expect((await lines()).map((line) => hours(JSON.parse(line).version))).toEqual([0, 1, 2, 3, 4]);
  });

  test("--max-age 0 starts no new file by age", async () => {
    for (let day = 0; day < 3; day++) {
      await change(1);
      clock.now += 400 * 86_400_000;
    }
    await once("--max-age", "0");
    expect(await files()).toHaveLength(1);
  });
});

describe("history follow with deleted changes", () => {
  const deleteBefore = (version: number) =>
    redis.client.xtrim(stockChangesKey, "MINID", `${nth(version)}-0`);

  test("the first run starts at the oldest change of the service", async () => {
    await change(10);
    await deleteBefore(6);
    expect(await once()).toMatchObject({ written: 5, version: nth(10) });
    expect(await written()).toEqual(upTo(10, 6));
  });

  test("writes nothing if changes were deleted since the last run: exit code 3", async () => {
    await change(3);
    await once();
    await change(10);
    await deleteBefore(8);
    for (const mode of [["--once"], []]) {
      expect(await follow(...mode)).toEqual({
        code: 3,
        stdout: "",
        stderr: expect.stringContaining(`after version ${nth(3)} up to version ${nth(7)} are lost`),
      });
    }
    expect(await written()).toEqual(upTo(3));
  });

  test("--accept-gap writes a line for the gap, then the later changes", async () => {
    await change(3);
    await once();
    await change(10);
    await deleteBefore(8);
    expect(await follow("--once", "--accept-gap")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`after version ${nth(3)} up to version ${nth(7)} are lost`),
    });
    const all = (await lines()).map((line) => JSON.parse(line));
    expect(all[3]).toEqual({ gap: { after: nth(3), upTo: nth(7), noticedAt: expect.any(String) } });
    expect(all.toSpliced(3, 1).map(({ version }) => version)).toEqual(
      [1, 2, 3, ...upTo(13, 8)].map(nth),
    );
  });

  test("continues after the line of a gap if it was killed there", async () => {
    await change(3);
    await once();
    await change(10);
    await deleteBefore(8);
    await follow("--once", "--accept-gap");
    const path = await lastFile();
    const content = await readFile(path, "utf8");
    const afterGap = content.indexOf("\n", content.indexOf('{"gap"')) + 1;
    await writeFile(path, `${content.slice(0, afterGap)}{"vers`);
    expect(await once()).toMatchObject({ written: 6, version: nth(13) });
    expect((await written()).slice(-6)).toEqual(upTo(13, 8));
  });

  test.each([
    ["fewer", 3],
    ["as many", 10],
    ["more", 20],
  ])("fails if the stock was replaced by one with %s changes: exit code 3", async (_, changes) => {
    await change(10);
    await once();
    await redis.client.flushdb();
    clock.now += 1;
    await change(changes);
    for (const more of [[], ["--accept-gap"]]) {
      expect(await follow("--once", ...more)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("replaced or restored"),
      });
    }
    expect(await written()).toEqual(upTo(10));
  });
});
