import { describe, expect, it } from "vitest";
import { createConcurrencyLimits } from "../../src/call/concurrency-limits.ts";

describe("concurrency limits", () => {
  const limits = () =>
    createConcurrencyLimits<{ a: string; b: string | undefined }>([
      { max: 2, keyOf: ({ a }) => a, exceeded: () => new Error("a") },
      { max: 1, keyOf: ({ b }) => b, exceeded: () => new Error("b") },
    ]);

  it("throw the error of the first limit that is reached, and then count nothing", () => {
    const { acquire } = limits();
    acquire({ a: "1", b: "1" });
    expect(() => acquire({ a: "1", b: "1" })).toThrow("b");
    acquire({ a: "1", b: "2" });
    expect(() => acquire({ a: "1", b: "3" })).toThrow("a");
  });

  it("ignore further calls of a release function", () => {
    const { acquire } = limits();
    const release = acquire({ a: "1", b: "1" });
    acquire({ a: "1", b: "2" });
    release();
    release();
    acquire({ a: "1", b: "1" });
    expect(() => acquire({ a: "1", b: "3" })).toThrow("a");
  });

  it("do not apply to a caller without a key", () => {
    const { acquire } = limits();
    acquire({ a: "1", b: undefined });
    acquire({ a: "2", b: undefined });
  });
});
