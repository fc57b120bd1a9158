import { createTrail } from "../../src/audit/audit-log.ts";
import { createServices, type ServiceOptions } from "../../src/services/services.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";

/** Creates the services that need an API key, without a log. */
export function servicesOn(
  stores: Stores = createMemoryStores(),
  options: Omit<ServiceOptions, "trail"> = {},
) {
  return createServices(stores, { trail: createTrail(stores, () => {}), ...options });
}
