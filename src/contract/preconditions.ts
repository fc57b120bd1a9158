import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { preconditions as option, Preconditions } from "../../gen/rules/v1/rules_pb.ts";
import type { ReadableHeaders } from "../call/headers.ts";
import { optionOf } from "../call/option.ts";
import type { CheckHeaders } from "../call/service.ts";
import { fieldInvalid, serviceError } from "./errors.ts";

/** The headers with preconditions whose effect depends on the entity tag of the resource (RFC 9110, section 13.1). */
const headers = ["If-Match", "If-None-Match"] as const;

/**
 * Makes the checks of the preconditions in the headers of a method's calls, in any protocol. A client must not believe
 * that a condition took effect that the method does not know.
 *
 * @returns undefined when the method's function checks the headers
 */
export function checkPreconditions(method: DescMethod): CheckHeaders | undefined {
  if (method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS) return { ofRead: checkRead };
  switch (optionOf(method, option)) {
    case Preconditions.VERSION:
      return undefined;
    case Preconditions.ABSENCE:
      return {
        ofChange(given) {
          refuse(given, "If-Match");
          const noneMatch = given.get("If-None-Match");
          if (noneMatch !== null && noneMatch.trim() !== "*") {
            throw fieldInvalid(
              "If-None-Match",
              "must be *, because the resource has no entity tag",
            );
          }
        },
      };
    default:
      return {
        ofChange(given) {
          for (const name of headers) refuse(given, name);
        },
      };
  }
}

function refuse(given: ReadableHeaders, name: (typeof headers)[number]): void {
  if (!given.has(name)) return;
  throw fieldInvalid(name, "is not supported by this operation: remove the header");
}

/**
 * Checks an If-Match header of a call that reads. The entity tags must be equal and strong (section 13.1.1).
 *
 * @throws ConnectError aborted if it does not match
 */
function checkRead(ifMatch: string, current: string | null): void {
  if (ifMatch.trim() === "*") return;
  const tags: readonly string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  if (current !== null && tags.includes(current)) return;
  throw tagMismatch(current);
}

/** The header If-Match of a call that reads does not match. @param current the entity tag, if there is one */
export function tagMismatch(current: string | null): ConnectError {
  const has = current === null ? "The resource has no entity tag" : `The entity tag is ${current}`;
  return serviceError(
    "VERSION_MISMATCH",
    `${has}, so that the header If-Match does not match. Read it without the header.`,
  );
}
