import { describe, expect, test } from "vitest";
import { placeKey, placeLeaseKey, stockChangesKey } from "../../src/stores/redis/keys.ts";
import { runHere } from "./command-line.ts";
import { nth, numbersIn, origin, upTo, useFollow } from "./follow.ts";

const { redis, clock, stores, change, follow, once } = useFollow();

describe("history follow --once", () => {
  test("prints every change with all fields, as one line of JSON", async () => {
    await change(1);
    clock.now += 1_250;
    await stores().inventory.change({ petId: 7n, quantity: 3 }, { origin });
    await stores().catalog.remove(7n, origin);
    const [, second = "", third = ""] = (await once("--from-beginning")).split("\n");
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

  test("begins with new changes, and then continues at its place", async () => {
    await change(3);
    expect(await once()).toBe("");
    await change(2);
    expect(numbersIn(await once())).toEqual([4, 5]);
    expect(await once()).toBe("");
    await change(1_200);
    expect(numbersIn(await once())).toEqual(upTo(1_205, 6));
  });

  test("--from-beginning begins with the oldest change, only if the name has no place", async () => {
    await change(10);
    await redis.client.xtrim(stockChangesKey, "MINID", `${nth(6)}-0`);
    expect(numbersIn(await once("--from-beginning"))).toEqual(upTo(10, 6));
    expect(await once("--from-beginning")).toBe("");
  });

  test("names have places of their own", async () => {
    await change(2);
    await once();
    const other = ["history follow", "other", "--once", "--from-beginning"];
    expect(numbersIn((await runHere(other, { redisUrl: redis.url })).stdout)).toEqual([1, 2]);
  });

  test("prints nothing and keeps its place without changes", async () => {
    expect(await once()).toBe("");
    await change(1);
    expect(numbersIn(await once())).toEqual([1]);
  });

  test("leaves no lease behind", async () => {
    await once();
    expect(await redis.client.keys("*place*")).toEqual([placeKey("history:archive")]);
    expect(await redis.client.exists(placeLeaseKey("history:archive"))).toBe(0);
  });

  test("prints again the changes that it could not print", async () => {
    await change(2);
    const write = (_text: string, done: (error: Error) => void) => done(new Error("closed"));
    const command = ["history follow", "archive", "--once", "--from-beginning"];
    const failed = await runHere(command, { redisUrl: redis.url, streams: { stdout: { write } } });
    expect(failed.code).not.toBe(0);
    expect(numbersIn(await once("--from-beginning"))).toEqual([1, 2]);
  });

  test("says once that it waits for another process under its name", async () => {
    await redis.client.set(placeLeaseKey("history:archive"), "other", "PX", 1_200);
    const stderr = "another process follows as archive: waiting until it ends\n";
    expect(await follow("--once")).toEqual({ code: 0, stdout: "", stderr });
  });

  test.each(["", "a b", "a/b", "x".repeat(65)])("the name %j: exit code 2", async (name) => {
    const outcome = await runHere(["history follow", name, "--once"], { redisUrl: redis.url });
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining("<name>") });
  });

  test("--from-now with --from-beginning, and --output csv: exit code 2", async () => {
    expect(await follow("--once", "--from-now", "--from-beginning")).toMatchObject({ code: 2 });
    expect(await follow("--once", "--output", "csv")).toMatchObject({ code: 2 });
  });
});

describe("history follow whose place is lost", () => {
  const lost = {
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/after \d+, the place of history archive, are lost.*--from-now/),
  };

  test("prints nothing if changes were deleted: exit code 3, until --from-now", async () => {
    await change(3);
    await once();
    await change(10);
    await redis.client.xtrim(stockChangesKey, "MINID", `${nth(8)}-0`);
    for (const mode of [["--once"], [], ["--once", "--from-beginning"]]) {
      expect(await follow(...mode)).toEqual(lost);
    }
    expect(await once("--from-now")).toBe("");
    await change(1);
    expect(numbersIn(await once())).toEqual([14]);
  });

  test.each([
    ["fewer", 3],
    ["as many", 10],
    ["more", 20],
  ])("prints nothing if the stock was replaced by one with %s changes", async (_, changes) => {
    await change(10);
    await once();
    const place = await redis.client.get(placeKey("history:archive"));
    await redis.client.flushdb();
    clock.now += 1;
    await change(changes);
    await redis.client.set(placeKey("history:archive"), `${place}`);
    expect(await follow("--once")).toEqual(lost);
  });
});
