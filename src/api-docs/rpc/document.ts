import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import comments from "../../../gen/comments.json" with { type: "json" };
import { tags } from "../openapi/operation-notes.ts";
import { describeRpc } from "./reference.ts";

/** Returns the description of the RPC methods as JSON. */
export function writeRpcReference(): string {
  const services = [...tags, { name: "Administration", service: AdminService }];
  return JSON.stringify(describeRpc(services, comments));
}
