import { fieldsInvalid } from "../errors.ts";

/** Where a page begins, as clients are told it: to be handed back, not to be read. */
export function pageToken(kind: "pet" | "version", start: bigint): string {
  return Buffer.from(`${kind} ${start}`).toString("base64url");
}

/**
 * Reads a page token.
 *
 * @param token empty for the first page
 * @returns undefined for the first page
 * @throws ConnectError invalid_argument when it is no token of this kind
 */
export function startOfPage(kind: "pet" | "version", token: string): bigint | undefined {
  if (token === "") return undefined;
  const text = Buffer.from(token, "base64url").toString("latin1");
  const [, number] = /^(?:pet|version) (\d{1,19})$/.exec(text) ?? [];
  if (number === undefined || pageToken(kind, BigInt(number)) !== token) {
    const description = "must be the token that came with the page before";
    throw fieldsInvalid([{ field: "page_token", description }]);
  }
  return BigInt(number);
}
