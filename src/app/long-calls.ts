import type { DescMethod } from "@bufbuild/protobuf";
import type { AnyMessage } from "connect-gateway/call";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import {
  InventoryService,
  type ListInventoryRequest,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { needsScan } from "../services/inventory/selected-page.ts";

/** Largest page that does not wait for a turn, in entries: about as much work as two calls for one item. */
const shortPage = 20;

/** Methods whose responses are long although they have no pages. */
const longMethods: ReadonlySet<DescMethod> = new Set([
  UsageService.method.getUsage,
  AdminService.method.getAccountUsage,
]);

/**
 * Returns what finds out whether a request asks for a long page (https://google.aip.dev/158). Without a page size, that is
 * the default, unless the response is then the cached list.
 */
export function isLong(method: DescMethod): ((request: AnyMessage) => boolean) | undefined {
  if (longMethods.has(method)) return () => true;
  if (method.input.field.pageSize === undefined) return undefined;
  const isCached = method === InventoryService.method.listInventory;
  return (request: AnyMessage & { readonly pageSize?: unknown; readonly pageToken?: unknown }) => {
    if (isCached && needsScan(request as ListInventoryRequest)) return true;
    const { pageSize, pageToken } = request;
    if (typeof pageSize === "number") return pageSize > shortPage;
    return pageToken !== "" || !isCached;
  };
}
