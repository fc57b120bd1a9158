import { entityTagsOf } from "../../contract/preconditions.ts";
import type { Conditions } from "../../stores/stock-change.ts";

/** A strong entity tag that is a version. Items have no other tags. */
const versionTag = /^"([1-9]\d{0,18})"$/;
/** The same, strong or weak. */
const versionTagOrWeak = /^(?:W\/)?"([1-9]\d{0,18})"$/;

export function versionEntityTag(version: bigint): string {
  return `"${version}"`;
}

export interface OwnConditions {
  readonly expectedVersion?: bigint;
  readonly expectedQuantity?: number;
}

export function ownConditions({ expectedVersion, expectedQuantity }: OwnConditions): Conditions {
  const expectedVersions = expectedVersion === undefined ? undefined : [expectedVersion];
  return { expectedVersions, expectedQuantity };
}

/** Returns the conditions of the message and of If-Match and If-None-Match. @throws ConnectError invalid_argument if malformed */
export function conditionsOf(
  requestHeaders: Headers,
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

/** Returns the conditions on the version as text, which is the same however they are written. */
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
  if (header === null) return undefined;
  const tags = entityTagsOf("If-Match", header);
  return tags && versionsIn(tags, versionTag);
}

/**
 * Returns the versions that an If-None-Match header excludes (RFC 9110, section 13.1.2): `all` when it excludes every
 * version, undefined when none. Weak tags count like strong ones.
 */
function excludedVersions(header: string | null): bigint[] | "all" | undefined {
  if (header === null) return undefined;
  const tags = entityTagsOf("If-None-Match", header);
  return tags ? versionsIn(tags, versionTagOrWeak) : "all";
}

function versionsIn(tags: readonly string[], tagOfVersion: RegExp): bigint[] {
  return tags.flatMap((tag) => {
    const version = tagOfVersion.exec(tag)?.[1];
    return version === undefined ? [] : [BigInt(version)];
  });
}
