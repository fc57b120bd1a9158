import { Code } from "@connectrpc/connect";
import { expect, it, onTestFinished } from "vitest";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { defaultScopes } from "../../../src/access/scopes.ts";
import { createWatchService } from "../../../src/services/watch/watch-service.ts";
import type { AdmissionStore } from "../../../src/stores/admission-store.ts";
import { storeUnavailable } from "../../../src/stores/errors.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { contextOf } from "../../support/context.ts";

it("a watch goes on after checks of its key that failed singly, and ends after two in a row", async () => {
  const stores = createMemoryStores();
  const accountId = await addAccount(stores);
  const { keyId } = await addKey(stores, accountId);
  await stores.inventory.create({ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE });
  let checks = 0;
  const keyStates: AdmissionStore["keyStates"] = async (keyIds) => {
    checks += 1;
    // The first one is that of the beginning of the watch. The 10th and the 11th are the first two in a row that fail.
    if (checks % 2 === 0 || checks > 9) throw storeUnavailable(undefined);
    return stores.admission.keyStates(keyIds);
  };
  const service = createWatchService(
    { ...stores, admission: { ...stores.admission, keyStates } },
    { heartbeatMs: 10, backlog: 10, maxPerKey: 10, maxPerAccount: 10, maxPerProcess: 10 },
  );
  onTestFinished(() => service.stop());
  const caller = { accountId, keyId, scopes: new Set(defaultScopes) };
  const context = contextOf(caller);
  const messages = service.watchInventory(
    { resumeToken: "", petIds: [] } as never,
    context,
  ) as AsyncGenerator<WatchInventoryResponse>;
  const next = async () => (await messages.next()).value.event.case;

  expect([await next(), await next()]).toEqual(["snapshot", "ready"]);
  const ended = async () => {
    while (true) await next();
  };
  await expect(ended()).rejects.toMatchObject({ code: Code.Unavailable });
  expect(checks).toBe(11);
});
