/** Returns whether an Accept header names a media type with a weight above 0 (RFC 9110, section 12.5.1). */
export function acceptsType(accept: string | undefined, mediaType: string): boolean {
  return (accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === mediaType && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  });
}
