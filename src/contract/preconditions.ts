import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { preconditions as option, Preconditions } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../call/option.ts";
import type { CheckHeaders } from "../call/routes.ts";
import { fieldInvalid, serviceError } from "./errors.ts";

/** The headers with preconditions whose effect depends on the entity tag of the resource (RFC 9110, section 13.1). */
const headers = ["If-Match", "If-None-Match"] as const;

/** An entity tag (RFC 9110, section 8.8.3). */
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"`;
/** A list of entity tags. It may be empty: then no tag of it matches (RFC 9110, sections 5.6.1 and 13.1.1). */
const tagList = new RegExp(String.raw`^[ \t,]*(?:${tag}(?:[ \t]*,[ \t,]*${tag})*[ \t,]*)?$`);
const anyTag = new RegExp(tag, "g");

/** The most tags of a header. A client has seen only a few versions of a resource. */
const maxTags = 100;

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

function refuse(given: Headers, name: (typeof headers)[number]): void {
  if (!given.has(name)) return;
  throw fieldInvalid(name, "is not supported by this operation: remove the header");
}

/**
 * Returns the entity tags of a header; undefined for `*`, which stands for all.
 *
 * @throws ConnectError invalid_argument that names the header
 */
export function entityTagsOf(
  name: (typeof headers)[number],
  value: string,
): readonly string[] | undefined {
  if (value.trim() === "*") return undefined;
  if (!tagList.test(value)) {
    throw fieldInvalid(
      name,
      'must be * or entity tags such as "1795275628143500", in their quotes',
    );
  }
  const tags = value.match(anyTag) ?? [];
  if (tags.length > maxTags) throw fieldInvalid(name, `must have at most ${maxTags} entity tags`);
  return tags;
}

/** Checks the If-Match header of a call that reads. The entity tags must be equal and strong (section 13.1.1). */
function checkRead(ifMatch: string): (current: string | null) => void {
  const tags = entityTagsOf("If-Match", ifMatch);
  return (current) => {
    if (tags && (current === null || !tags.includes(current))) throw tagMismatch(current);
  };
}

/** The header If-Match of a call that reads does not match. @param current the entity tag, if there is one */
export function tagMismatch(current: string | null): ConnectError {
  const has = current === null ? "The resource has no entity tag" : `The entity tag is ${current}`;
  return serviceError(
    "VERSION_MISMATCH",
    `${has}, so that the header If-Match does not match. Read it without the header.`,
  );
}
