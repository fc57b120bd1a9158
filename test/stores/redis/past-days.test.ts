import { expect, test } from "vitest";
import { createPastDays } from "../../../src/stores/redis/usage/past-days.ts";
import { noRequests, reportedKeys } from "../../../src/stores/usage-store.ts";

test.each([
  ["few keys", 1],
  ["so many keys that it is cached", reportedKeys + 1],
])("a day that could not be read is read again, with %s", async (_, count) => {
  let reads = 0;
  const keys = Array.from({ length: count }, (_each, at) => ({
    keyId: `key ${at}`,
    requests: { ...noRequests, admitted: 1 },
  }));
  const days = createPastDays(async () => {
    reads += 1;
    if (reads <= 2) throw new Error("no reply");
    return keys;
  });
  const total = async () => {
    const [day] = await days("account", [1]);
    return day?.reduce((sum, { requests }) => sum + requests.admitted, 0);
  };
  await expect(total()).rejects.toThrow("no reply");
  await expect(total()).rejects.toThrow("no reply");
  expect(await total()).toBe(count);
});
