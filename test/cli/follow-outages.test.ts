import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CommandError } from "../../src/cli/command-error.ts";
import { type Follower, type FollowOptions, follow } from "../../src/cli/follow/follow.ts";
import { createMemoryPlaceStore } from "../../src/stores/memory/place-store.ts";
import { leaseMs, type PlaceStore } from "../../src/stores/place-store.ts";

afterEach(() => void vi.restoreAllMocks());

const outage = () => {
  throw new ConnectError("try again", Code.Unavailable, undefined, [], new Error("no Redis"));
};

type Reply = () => readonly number[];

/** Makes a follower of numbers. Each of `replies` is called once, in order, and returns records or fails; then it ends. */
function numbers(
  replies: Reply[],
  places: PlaceStore = createMemoryPlaceStore(Date.now),
  options: FollowOptions = {},
) {
  const handed: number[] = [];
  const events: string[] = [];
  const stop = new AbortController();
  const follower: Follower<number> = {
    name: "relay:numbers",
    places,
    options,
    signal: stop.signal,
    records: {
      noun: "numbers",
      setting: "LENGTH",
      pollMs: 0,
      placeForm: /^\d+$/,
      end: async (which) => (which === "newest" ? "9" : "0"),
      placeAfter: (record) => `${record}`,
      async since() {
        const reply = replies.shift();
        if (!reply) {
          stop.abort();
          return { records: [], total: 0 };
        }
        const records = reply();
        return { records, total: records.length };
      },
    },
    events: {
      onWaiting: () => void events.push("waiting"),
      onOutage: (reason) => void events.push(`outage: ${reason}`),
      onBegin: ({ place }) => void events.push(`after ${place}`),
      onRead() {},
    },
    async *handOn(records, holdFor) {
      for (const record of records) {
        await holdFor(1_000);
        handed.push(record);
        yield record;
      }
    },
  };
  return { follower, handed, events, stop };
}

const beginning = { fromBeginning: true } as const;

describe("a follower", () => {
  test("waits for Redis, and says so once for each outage", async () => {
    const replies = [outage, outage, () => [1], () => [2], outage, () => [3]];
    const { follower, handed, events } = numbers(replies, undefined, beginning);
    await follow(follower);
    expect(handed).toEqual([1, 2, 3]);
    expect(events).toEqual(["after 0", "outage: no Redis", "outage: no Redis"]);
  });

  test("says what to do if Redis refuses changes", async () => {
    const full = () => {
      const cause = new Error("OOM command not allowed when used memory > 'maxmemory'.");
      throw new ConnectError("full", Code.Unavailable, undefined, [], cause);
    };
    const { follower, events } = numbers([full], undefined, beginning);
    await follow(follower);
    expect(events[1]).toContain(
      "outage: Redis refuses changes because it has reached its maxmemory",
    );
  });

  test("fails at once with --once", async () => {
    const { follower } = numbers([outage], undefined, { once: true });
    await expect(follow(follower)).rejects.toThrow("try again");
  });

  test("does not hand on a record again that it could not note at first", async () => {
    const places = createMemoryPlaceStore(Date.now);
    let fails = 2;
    const hold: PlaceStore["hold"] = async (name, holder, move) => {
      // The first reply is lost after the move, the second before it.
      if (move?.to === "2" && fails-- > 0) {
        if (fails === 1) await places.hold(name, holder, move);
        return outage();
      }
      return places.hold(name, holder, move);
    };
    const { follower, handed } = numbers([() => [1, 2, 3]], { ...places, hold }, beginning);
    await follow(follower);
    expect(handed).toEqual([1, 2, 3]);
  });

  test("that may have lost its lease in an outage hands on nothing, and continues at the stored place", async () => {
    const places = createMemoryPlaceStore(Date.now);
    let laterMs = 0;
    const { now } = performance;
    vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + laterMs);
    const first = numbers(
      [
        () => [1],
        () => {
          // Another process takes the name, and goes further.
          laterMs += leaseMs + 1;
          return [2];
        },
        () => [5],
      ],
      {
        ...places,
        async hold(name, holder, move) {
          if (laterMs > 0 && move === undefined) return { place: "4" };
          if (move?.from === "4") return { place: move.to };
          return places.hold(name, holder, move);
        },
      },
      beginning,
    );
    await follow(first.follower);
    expect(first.handed).toEqual([1, 5]);
    expect(first.events).toEqual(["after 0", "after 4"]);
  });

  test("waits while another process has the name, and applies --from-now only at its start", async () => {
    const places = createMemoryPlaceStore(Date.now);
    await places.hold("relay:numbers", "other", { from: "", to: "3" });
    const { follower, handed, events } = numbers([() => [10]], places, { fromNow: true });
    const following = follow(follower);
    await expect.poll(() => events, { timeout: 5_000 }).toEqual(["waiting"]);
    await places.release("relay:numbers", "other");
    await following;
    expect(events).toEqual(["waiting", "after 9"]);
    expect(handed).toEqual([10]);
    expect(await places.hold("relay:numbers", "next")).toEqual({ place: "10" });
  });

  test("restores a place that Redis has lost", async () => {
    const places = createMemoryPlaceStore(Date.now);
    let isLost = false;
    const empty = createMemoryPlaceStore(Date.now);
    const { follower, handed, events } = numbers(
      [
        () => [1, 2],
        () => {
          isLost = true;
          return [3];
        },
        () => [3, 4],
      ],
      {
        hold: (...args) => (isLost ? empty : places).hold(...args),
        release: (...args) => empty.release(...args),
      },
      beginning,
    );
    await follow(follower);
    expect(handed).toEqual([1, 2, 3, 3, 4]);
    expect(events).toEqual(["after 0", "after 2"]);
    expect(await empty.hold("relay:numbers", "next")).toEqual({ place: "4" });
  });

  test("rejects a damaged place, until --from-now", async () => {
    const places = createMemoryPlaceStore(Date.now);
    await places.hold("relay:numbers", "other", { from: "", to: "a\u202e" });
    await places.release("relay:numbers", "other");
    await expect(follow(numbers([], places).follower)).rejects.toThrow(
      String.raw`the place of relay numbers in Redis is damaged: it is "a\u202e". Add --from-now once`,
    );
    const { follower, handed } = numbers([() => [10]], places, { fromNow: true });
    await follow(follower);
    expect(handed).toEqual([10]);
  });

  test("ends while it waits for the name, or for Redis", async () => {
    const places = createMemoryPlaceStore(Date.now);
    await places.hold("relay:numbers", "other");
    const waiting = numbers([], places);
    const following = follow(waiting.follower);
    await expect.poll(() => waiting.events, { timeout: 5_000 }).toEqual(["waiting"]);
    waiting.stop.abort();
    await following;
    const down = numbers([], { ...places, hold: async () => outage() });
    const second = follow(down.follower);
    await expect.poll(() => down.events, { timeout: 5_000 }).toEqual(["outage: no Redis"]);
    down.stop.abort();
    await second;
  });

  test("passes on other errors, and gives the name back", async () => {
    const places = createMemoryPlaceStore(Date.now);
    const fail = () => {
      throw new CommandError("gone", "no more");
    };
    await expect(follow(numbers([fail], places).follower)).rejects.toThrow("no more");
    expect(await places.hold("relay:numbers", "next")).toEqual({ place: "9" });
  });
});
