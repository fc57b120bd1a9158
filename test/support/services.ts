import { type DescMethod, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { bindRoutes } from "../../packages/connect-gateway/src/call/routes.ts";
import { scopes } from "../../src/access/scopes.ts";
import { createTrail } from "../../src/audit/audit-log.ts";
import { createServices, type ServiceOptions } from "../../src/services/services.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { contextOf } from "./context.ts";

/** Creates the services that need an API key, without a log. */
export function servicesOn(
  stores: Stores = createMemoryStores(),
  options: Omit<ServiceOptions, "trail"> = {},
) {
  return createServices(stores, { trail: createTrail(stores, () => {}), ...options });
}

/** Returns a function that calls a unary method, without admission, as an account. The request is ProtoJSON. */
export function callsOn(stores: Stores, accountId: string) {
  const routes = new Map(bindRoutes(servicesOn(stores)).map((route) => [route.desc, route]));
  const caller = { accountId, keyId: `${accountId}00000000`, scopes: new Set(scopes) };
  return async (method: DescMethod, request: JsonObject): Promise<unknown> => {
    const route = routes.get(method);
    if (route?.kind !== "unary") throw new Error(`${method} is not a unary method of the services`);
    return route.invoke(fromJson(method.input, request) as never, contextOf(caller));
  };
}
