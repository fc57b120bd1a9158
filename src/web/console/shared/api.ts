import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AdminService } from "../../../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../../../gen/usage/v1/usage_pb.ts";
import { endsSession, faultOf } from "./call-fault.ts";
import { session, signOut } from "./session.ts";

/** Adds the key of this tab, and ends the session when the server no longer accepts the key. */
const withKey: Interceptor = (next) => async (request) => {
  const { key } = session.get();
  const isOwnKey = !request.header.has("authorization");
  if (isOwnKey && key !== undefined) request.header.set("authorization", `Bearer ${key}`);
  try {
    return await next(request);
  } catch (error) {
    const fault = faultOf(error);
    if (isOwnKey && key === session.get().key && endsSession(fault)) signOut(fault);
    throw error;
  }
};

const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: true,
  interceptors: [withKey],
  defaultTimeoutMs: 10_000,
});

/** The clients of the services. All pages make their calls with them. */
export const inventory = createClient(InventoryService, transport);
export const store = createClient(StoreService, transport);
export const usage = createClient(UsageService, transport);
export const admin = createClient(AdminService, transport);
