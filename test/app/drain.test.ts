import { describe, expect, test } from "vitest";
import { dayMs } from "../../src/call/durations.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";

describe.each(storeKinds)("a server with $name that stops", (kind) => {
  const server = useServer(kind);

  test("leaves the usage of all requests that it has counted", async () => {
    const { stores, clock } = server;
    const accountId = await addAccount(stores);
    const { keyId, secret } = await addKey(stores, accountId);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${server.url}/v1/inventory`, { headers })).status).toBe(200);
    await server.drain(1_000);
    const { days } = await stores.usage.read(accountId, clock.now, 1);
    const requests = { admitted: 1, limited: 0, banned: 0 };
    expect(days.get(Math.floor(clock.now / dayMs))).toEqual([{ keyId, requests }]);
  });
});
