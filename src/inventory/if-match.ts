import { fieldsInvalid } from "../errors.ts";

/** An entity tag (RFC 9110, section 8.8.3). */
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagList = new RegExp(String.raw`^[ \t,]*${tag}(?:[ \t]*,[ \t,]*${tag})*[ \t,]*$`);
/** A strong one that is a version: no other is ever that of an item. */
const versionTag = /(?<!W\/)"([1-9]\d{0,18})"/g;
/** The same, also as a weak one. */
const versionTagOrWeak = /"([1-9]\d{0,18})"/g;

/** The most tags of a field. A client has read an item in a few versions at most. */
const maxTags = 100;

/** The entity tag of what has this version. */
export function versionEntityTag(version: bigint): string {
  return `"${version}"`;
}

/**
 * The versions that an If-Match field accepts (RFC 9110, section 13.1.1). Weak tags never match.
 *
 * @param field as sent; null when it was not
 * @returns undefined when any version will do
 * @throws ConnectError invalid_argument that names the field
 */
export function acceptedVersions(field: string | null): bigint[] | undefined {
  if (field === null || field.trim() === "*") return undefined;
  return versionsOf("If-Match", field, versionTag);
}

/**
 * The versions that an If-None-Match header excludes (RFC 9110, section 13.1.2). Weak tags count like strong ones.
 *
 * @param field as sent; null when it was not
 * @returns `all` when no version will do; undefined when any will
 * @throws ConnectError invalid_argument that names the header
 */
export function excludedVersions(field: string | null): bigint[] | "all" | undefined {
  if (field === null) return undefined;
  if (field.trim() === "*") return "all";
  return versionsOf("If-None-Match", field, versionTagOrWeak);
}

function versionsOf(name: string, field: string, tagOfVersion: RegExp): bigint[] {
  if (!tagList.test(field)) {
    throw fieldsInvalid([
      {
        field: name,
        description: 'must be * or entity tags such as "1795275628143500", in their quotes',
      },
    ]);
  }
  const versions = [...field.matchAll(tagOfVersion)].map(([, version = ""]) => BigInt(version));
  if (versions.length > maxTags) {
    throw fieldsInvalid([{ field: name, description: `must have at most ${maxTags} entity tags` }]);
  }
  return versions;
}
