import { fieldsInvalid } from "../errors.ts";

/** An entity tag (RFC 9110, section 8.8.3). */
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagList = new RegExp(String.raw`^[ \t,]*${tag}(?:[ \t]*,[ \t,]*${tag})*[ \t,]*$`);
/** A strong one that is a version: no other is ever that of an item. */
const versionTag = /(?<!W\/)"([1-9]\d{0,18})"/g;

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
  if (!tagList.test(field)) {
    throw fieldsInvalid([
      {
        field: "If-Match",
        description: 'must be * or entity tags such as "1795275628143500", in their quotes',
      },
    ]);
  }
  const versions = [...field.matchAll(versionTag)].map(([, version = ""]) => BigInt(version));
  if (versions.length > maxTags) {
    throw fieldsInvalid([
      { field: "If-Match", description: `must have at most ${maxTags} entity tags` },
    ]);
  }
  return versions;
}
