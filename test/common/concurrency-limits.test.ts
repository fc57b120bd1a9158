import { SharedPool } from "connect-gateway/call";
import { describe, expect, test } from "vitest";
import { createConcurrencyLimits } from "../../src/common/concurrency-limits.ts";

/** A limit on each owner alone. */
function limit(share: number): SharedPool {
  return new SharedPool({ name: "watches", size: Number.POSITIVE_INFINITY, share });
}

describe("concurrency limits", () => {
  const limits = () =>
    createConcurrencyLimits<{ a: string; b: string | undefined }>([
      { pool: limit(2), ownerOf: ({ a }) => a, exceeded: () => new Error("a") },
      { pool: limit(1), ownerOf: ({ b }) => b, exceeded: () => new Error("b") },
    ]);

  test("throw the error of the first limit that is reached, and then count nothing", () => {
    const acquire = limits();
    acquire({ a: "1", b: "1" });
    expect(() => acquire({ a: "1", b: "1" })).toThrow("b");
    acquire({ a: "1", b: "2" });
    expect(() => acquire({ a: "1", b: "3" })).toThrow("a");
  });

  test("ignore further calls of a release function", () => {
    const acquire = limits();
    const release = acquire({ a: "1", b: "1" });
    acquire({ a: "1", b: "2" });
    release();
    release();
    acquire({ a: "1", b: "1" });
    expect(() => acquire({ a: "1", b: "3" })).toThrow("a");
  });

  test("do not apply to a caller without a key", () => {
    const acquire = limits();
    acquire({ a: "1", b: undefined });
    expect(() => acquire({ a: "2", b: undefined })).not.toThrow();
  });

  test("say whether the owner has all of its share, or the pool has too few places left", () => {
    const acquire = createConcurrencyLimits<string>([
      {
        pool: new SharedPool({ name: "watches", size: 6, share: 3 }),
        ownerOf: (owner) => owner,
        exceeded: (of) => new Error(of),
      },
    ]);
    for (let n = 0; n < 3; n++) acquire("a");
    expect(() => acquire("a")).toThrow("share");
    acquire("b");
    acquire("b");
    expect(() => acquire("b")).toThrow("pool");
    acquire("c");
  });
});
