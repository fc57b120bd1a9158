import type { DescMethod } from "@bufbuild/protobuf";
import { optionOf } from "connect-gateway/call";
import { any_scope, scope as scopeOption } from "../../gen/rules/v1/rules_pb.ts";
import type { Caller } from "./caller.ts";
import { scopeMissing } from "./errors.ts";
import { isScope } from "./scopes.ts";

/**
 * Makes the check that a caller has the scope of a method, its option `rules.v1.scope`, which throws ConnectError
 * permission_denied. With the option `rules.v1.any_scope`, every caller may call the method.
 *
 * @throws Error at start-up when not exactly one of the options is set, or with an unknown scope: no method is open by
 * mistake
 */
export function authorizerOf(method: DescMethod): (caller: Caller) => void {
  const scope = optionOf(method, scopeOption);
  if (optionOf(method, any_scope)) {
    if (scope !== "") {
      throw new Error(`${method}: rules.v1.scope and rules.v1.any_scope exclude each other`);
    }
    return () => {};
  }
  if (!isScope(scope)) {
    throw new Error(`${method}: rules.v1.scope must be a scope, but is "${scope}"`);
  }
  return (caller) => {
    if (!caller.scopes.has(scope)) throw scopeMissing(scope);
  };
}
