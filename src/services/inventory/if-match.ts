import type { ReadableHeaders } from "../../call/headers.ts";
import { fieldsInvalid } from "../../contract/errors.ts";
import type { Conditions } from "../../stores/stock-change.ts";

/** An entity tag (RFC 9110, section 8.8.3). */
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"`;
/** A list of entity tags. It may be empty: then no tag of it matches (RFC 9110, sections 5.6.1 and 13.1.1). */
const tagList = new RegExp(String.raw`^[ \t,]*(?:${tag}(?:[ \t]*,[ \t,]*${tag})*[ \t,]*)?$`);
/** A strong entity tag that is a version. Items have no other tags. */
const versionTag = /(?<!W\/)"([1-9]\d{0,18})"/g;
/** The same, strong or weak. */
const versionTagOrWeak = /"([1-9]\d{0,18})"/g;

/** The most tags of a header. A client has seen only a few versions of an item. */
const maxTags = 100;

/** Returns the entity tag of a version. */
export function versionEntityTag(version: bigint): string {
  return `"${version}"`;
}

/** The conditions in a message. */
export interface OwnConditions {
  readonly expectedVersion?: bigint;
  readonly expectedQuantity?: number;
}

/** Returns the conditions of one change of a batch. */
export function ownConditions({ expectedVersion, expectedQuantity }: OwnConditions): Conditions {
  const expectedVersions = expectedVersion === undefined ? undefined : [expectedVersion];
  return { expectedVersions, expectedQuantity };
}

/**
 * Returns the conditions of a change: those of the message, and of the headers If-Match and If-None-Match.
 *
 * @throws ConnectError invalid_argument when a header is malformed
 */
export function conditionsOf(
  requestHeaders: ReadableHeaders,
  { expectedVersion, expectedQuantity }: OwnConditions,
): Conditions {
  const accepted = acceptedVersions(requestHeaders.get("if-match"));
  const excluded = excludedVersions(requestHeaders.get("if-none-match"));
  if (excluded === "all") return { expectedVersions: [], expectedQuantity };
  const given = expectedVersion === undefined ? accepted : [expectedVersion];
  if (given === undefined) return { excludedVersions: excluded, expectedQuantity };
  const expectedVersions = given.filter(
    (version) => accepted?.includes(version) !== false && excluded?.includes(version) !== true,
  );
  return { expectedVersions, expectedQuantity };
}

/**
 * Returns the conditions on the version as a text, which is the same for all requests with the same conditions, however
 * they are written.
 */
export function versionText({ expectedVersions, excludedVersions }: Conditions): string {
  if (expectedVersions?.length === 0) return "\n*";
  if (expectedVersions) return tagsOf(expectedVersions);
  return excludedVersions?.length ? `\n${tagsOf(excludedVersions)}` : "";
}

function tagsOf(versions: readonly bigint[]): string {
  const ascending = [...new Set(versions)].sort((a, b) => (a < b ? -1 : 1));
  return ascending.map(versionEntityTag).join(", ");
}

/**
 * Returns the versions that an If-Match header accepts (RFC 9110, section 13.1.1); undefined when it accepts every
 * version. Weak tags never match.
 *
 * @throws ConnectError invalid_argument that names the header
 */
export function acceptedVersions(header: string | null): bigint[] | undefined {
  if (header === null || header.trim() === "*") return undefined;
  return versionsOf("If-Match", header, versionTag);
}

/**
 * Returns the versions that an If-None-Match header excludes (RFC 9110, section 13.1.2): `all` when it excludes every
 * version, undefined when none. Weak tags count like strong ones.
 *
 * @throws ConnectError invalid_argument that names the header
 */
function excludedVersions(header: string | null): bigint[] | "all" | undefined {
  if (header === null) return undefined;
  if (header.trim() === "*") return "all";
  return versionsOf("If-None-Match", header, versionTagOrWeak);
}

function versionsOf(name: string, header: string, tagOfVersion: RegExp): bigint[] {
  if (!tagList.test(header)) {
    throw fieldsInvalid([
      {
        field: name,
        description: 'must be * or entity tags such as "1795275628143500", in their quotes',
      },
    ]);
  }
  const versions = [...header.matchAll(tagOfVersion)].map(([, version = ""]) => BigInt(version));
  if (versions.length > maxTags) {
    throw fieldsInvalid([{ field: name, description: `must have at most ${maxTags} entity tags` }]);
  }
  return versions;
}
