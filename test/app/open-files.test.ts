import { expect, test, vi } from "vitest";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { redisKind } from "../support/stores.ts";

const server = useServer(redisKind);

test("a process without free file descriptors says so in its log, and logs no bug", async () => {
  const { secret } = await addKey(server.stores, await addAccount(server.stores));
  const error = Object.assign(new Error("too many open files"), { code: "EMFILE" });
  vi.spyOn(server.stores.inventory, "list").mockRejectedValue(error);
  const headers = { authorization: `Bearer ${secret}` };
  const response = await fetch(`${server.url}/v1/inventory`, { headers });
  expect(response.status).toBe(500);
  const reason = expect.stringContaining("The limit of open files is reached");
  expect(server.faults).toEqual([{ reason }]);
});
