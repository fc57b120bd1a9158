import type { DescEnum, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { UsageService } from "../../../gen/usage/v1/usage_pb.ts";

/** Returns the name that the clients give a service: `store` for `store.v1.StoreService`. */
export function serviceWord({ parent }: DescMethod): string {
  return versionlessPackage(parent);
}

/** Returns the package of an element without its version: `store` for `store.v1`. */
export function versionlessPackage({ file }: Pick<DescMessage | DescEnum, "file">): string {
  return file.proto.package.replace(/\.v\d+$/, "");
}

/** Returns a name with its first letter in upper case. */
export function capitalized(name: string): string {
  return name.replace(/^./, (first) => first.toUpperCase());
}

/** Returns a name in lower case with underscores: `set_plan` for `SetPlan`. */
export function snakeCase(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
}

/** Returns whether a method is GetUsage. The clients have a function `usage` for it. */
export function isUsage(method: DescMethod): boolean {
  return method === UsageService.method.getUsage;
}
