const units = { "": 1, K: 1_024, M: 1_048_576, G: 1_073_741_824 };

/** Examples of what {@link parseByteCount} accepts, for help and errors. */
export const byteCountForms = "64M, 512K, 1G or 4096";

/**
 * Parses a number of bytes: a whole number with an optional unit K, M or G (KiB, MiB, GiB).
 *
 * @returns bytes; undefined if the text is malformed, or is 1,024 GiB or more
 */
export function parseByteCount(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,15})([KMG]?)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const bytes = Number(count) * units[unit as keyof typeof units];
  return bytes < 1_024 * units.G ? bytes : undefined;
}
