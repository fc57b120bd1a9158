import { Code } from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import { Plan } from "../../gen/admin/v1/admin_pb.ts";
import { sessionOn } from "../../src/cli/session/session.ts";
import { failure } from "../contract/support.ts";
import { addAccount } from "../support/accounts.ts";
import { readyStores, useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");

test("makes no change while Redis does not reply", async () => {
  const budget = { ms: 10_000 };
  let failures = 0;
  const stores = await readyStores(redis.url, {
    timeBudget: { deadlineMs: () => budget.ms, waited() {} },
    onReply: ({ error }) => {
      if (error !== undefined) failures += 1;
    },
  });
  const accountId = await addAccount(stores);
  const { admin } = sessionOn(stores, { user: "ann", host: "till-1" });
  await admin.setPlan({ accountId, plan: Plan.PRO });
  expect(failures).toBe(0);

  redis.server.pause();
  budget.ms = 100;
  const error = await failure(admin.setPlan({ accountId, plan: Plan.BUSINESS }));
  expect(error).toMatchObject({
    code: Code.Unavailable,
    rawMessage: "The database is not available. Nothing was changed. Retry in 1 s.",
  });
  // It does not wait for a second command.
  expect(failures).toBe(1);
  redis.server.resume();
  budget.ms = 10_000;

  // Redis runs the command that it had received: the trail may have an entry without a result.
  await vi.waitFor(() => stores.ping(), { timeout: 10_000 });
  expect((await stores.accounts.getAccount(accountId))?.choice).toEqual({ plan: "pro" });
  const { entries } = await stores.audit.read(undefined, 10);
  const kinds = entries.map(({ body }) => JSON.parse(body).kind);
  expect(["begin,end", "begin,end,begin"]).toContain(kinds.join());
  await admin.setPlan({ accountId, plan: Plan.BUSINESS });
  expect((await stores.accounts.getAccount(accountId))?.choice).toEqual({ plan: "business" });
});
