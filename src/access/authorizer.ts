import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { scope as scopeOption } from "../../gen/rules/v1/rules_pb.ts";
import { scopeMissing } from "../errors.ts";
import type { Caller } from "./caller.ts";
import { isScope } from "./scopes.ts";

/**
 * The check that a caller's key has the scope that a method's `rules.v1.scope` option names.
 *
 * @throws Error at start-up when the method names no scope, or one that does not exist: nothing is
 * open by omission
 */
export function authorizerOf(method: DescMethod): (caller: Caller) => void {
  const scope = getOption(method, scopeOption);
  if (!isScope(scope)) {
    throw new Error(`${method}: rules.v1.scope is "${scope}", which is no scope`);
  }
  return (caller) => {
    if (!caller.scopes.has(scope)) {
      throw scopeMissing(scope);
    }
  };
}
