import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError, HandlerContext } from "@connectrpc/connect";
import { type AnyMessage, type AnyRequest, type Next, optionOf } from "connect-gateway/call";
import { preconditions as option, Preconditions } from "../../gen/rules/v1/rules_pb.ts";
import { isRead } from "./annotations.ts";
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
 * Makes the check of the preconditions in the headers of calls that change something, or send a stream of responses, in any
 * protocol. A client must not believe that a condition took effect that the method does not know.
 *
 * @returns a function that throws ConnectError invalid_argument or failed_precondition; undefined when the method's function
 * checks the headers, or {@link checkTag} does
 */
export function preconditionCheck(method: DescMethod): ((given: Headers) => void) | undefined {
  if (isRead(method)) return method.methodKind === "unary" ? undefined : refuseTags;
  switch (optionOf(method, option)) {
    case Preconditions.VERSION:
      return undefined;
    case Preconditions.ABSENCE:
      return (given) => {
        refuse(given, "If-Match");
        const noneMatch = given.get("If-None-Match");
        if (noneMatch !== null && noneMatch.trim() !== "*") {
          throw fieldInvalid("If-None-Match", "must be *, because the resource has no entity tag");
        }
      };
    default:
      return (given) => {
        for (const name of headers) refuse(given, name);
      };
  }
}

/**
 * Makes a call that reads, and checks its If-Match header against the entity tag of the response. The tags must be equal and
 * strong (section 13.1.1).
 *
 * @throws ConnectError invalid_argument when the header is malformed, failed_precondition when it does not match
 */
export function checkTag(
  request: AnyRequest,
  context: HandlerContext,
  next: Next,
): Promise<AnyMessage> {
  const ifMatch = context.requestHeader.get("if-match");
  if (ifMatch === null) return next(request, context);
  const tags = entityTagsOf("If-Match", ifMatch);
  return next(request, context).then((response) => {
    const current = context.responseHeader.get("etag");
    if (tags && (current === null || !tags.includes(current))) throw tagMismatch(current);
    return response;
  });
}

/** Refuses all entity tags of a read whose response has none. */
function refuseTags(given: Headers): void {
  const ifMatch = given.get("if-match");
  if (ifMatch !== null && entityTagsOf("If-Match", ifMatch)) throw tagMismatch(null);
}

function refuse(given: Headers, name: (typeof headers)[number]): void {
  if (!given.has(name)) return;
  throw fieldInvalid(name, "is not supported by this operation: remove the header");
}

/** Returns the entity tags of a header; undefined for `*`, which stands for all. @throws ConnectError invalid_argument */
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

/** The header If-Match of a call that reads does not match. @param current the entity tag, if there is one */
export function tagMismatch(current: string | null): ConnectError {
  const has = current === null ? "The resource has no entity tag" : `The entity tag is ${current}`;
  const text = `${has}, so that the header If-Match does not match. Read it without the header.`;
  return serviceError("VERSION_MISMATCH", text);
}
