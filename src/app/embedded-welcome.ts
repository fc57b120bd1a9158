import { AdminService, Plan } from "../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { type Scope, scopes } from "../access/scopes.ts";
import { thisOperator } from "../audit/this-operator.ts";
import { createLocalClient } from "../call/local-client.ts";
import { present } from "../call/present.ts";
import { createMethods } from "../services/services.ts";
import { sampleItems } from "../stores/memory/sample.ts";
import { unknownOrigin } from "../stores/stock-change.ts";
import type { Stores } from "../stores/stores.ts";

/** Loads sample data and creates an API key. @returns the text that says how to use it */
export async function embeddedWelcome(stores: Stores, url: string): Promise<string> {
  await stores.inventory.put(sampleItems, { ...unknownOrigin, reason: ChangeReason.IMPORT });
  const operator = thisOperator(process.env);
  const caller = { accountId: "", keyId: "", scopes: new Set<Scope>(scopes), operator };
  const admin = createLocalClient(AdminService, createMethods(stores), caller);
  const { account } = await admin.createAccount({ name: "sample", plan: Plan.BUSINESS });
  const { secret } = await admin.createKey({
    accountId: present(account, "the created account").accountId,
    scopes: [...scopes],
  });
  return `Inventory service on ${url}

All data is lost when this process ends. Set REDIS_URL to keep the data in Redis.

Console:       ${url}/
Documentation: ${url}/docs

Sign in to the console with the key of this call:
  curl -H 'Authorization: Bearer ${secret}' ${url}/v1/inventory

`;
}
