import { fieldsInvalid } from "../../contract/errors.ts";

/** An entity tag (RFC 9110, section 8.8.3). */
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagList = new RegExp(String.raw`^[ \t,]*${tag}(?:[ \t]*,[ \t,]*${tag})*[ \t,]*$`);
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
export function excludedVersions(header: string | null): bigint[] | "all" | undefined {
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
