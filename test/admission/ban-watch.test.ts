import { beforeEach, expect, test, vi } from "vitest";
import { type BanWatch, createBanWatch } from "../../src/admission/ban-watch.ts";
import { useFakeTime } from "../support/fake-time.ts";

const minuteMs = 60_000;
const events: string[] = [];
let watch: BanWatch;

useFakeTime();
beforeEach(() => {
  events.length = 0;
  watch = createBanWatch({
    onBan: ({ keyId, level }) => events.push(`${keyId} banned ${level}`),
    onEnd: ({ keyId }, how) => events.push(`${keyId} ${how}`),
  });
});

function ban(keyId: string, level = 1): void {
  watch.banned({ accountId: "account", keyId, level, until: Date.now() + minuteMs }, minuteMs);
}

test("a ban is reported, and its end when its time is over", () => {
  ban("a");
  vi.advanceTimersByTime(minuteMs - 1);
  expect(events).toEqual(["a banned 1"]);
  vi.advanceTimersByTime(1);
  expect(events).toEqual(["a banned 1", "a ended"]);
});

test("a ban ends early, and once, when the key is admitted", () => {
  ban("a");
  watch.admitted("b");
  watch.admitted("a");
  watch.admitted("a");
  vi.advanceTimersByTime(minuteMs);
  expect(events).toEqual(["a banned 1", "a lifted"]);
});

test("a second ban of the same key replaces the first, which was lifted", () => {
  ban("a");
  ban("a", 2);
  vi.advanceTimersByTime(minuteMs);
  expect(events).toEqual(["a banned 1", "a lifted", "a banned 2", "a ended"]);
});

test.each<[how: string, lift: () => void]>([
  ["and the key was admitted", () => watch.admitted("a")],
  ["and the key was banned again at once", () => {}],
])("each ban lasts for its own time, when the one before was lifted %s", (_, lift) => {
  ban("a");
  vi.advanceTimersByTime(minuteMs / 2);
  lift();
  ban("a", 2);
  const before = ["a banned 1", "a lifted", "a banned 2"];
  vi.advanceTimersByTime(minuteMs - 1);
  expect(events).toEqual(before);
  vi.advanceTimersByTime(1);
  expect(events).toEqual([...before, "a ended"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("at most 1,000 bans are followed, and every ban is reported", () => {
  for (let number = 0; number < 1_200; number++) ban(`key ${number}`);
  expect(events).toHaveLength(1_200);
  expect(vi.getTimerCount()).toBe(1_000);
  vi.advanceTimersByTime(minuteMs);
  expect(events).toHaveLength(2_200);
  expect(vi.getTimerCount()).toBe(0);
});
