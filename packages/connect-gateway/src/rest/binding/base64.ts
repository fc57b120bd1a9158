import { InvalidInput } from "../../http/invalid-input.ts";

const standardOrUrlSafe = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;

/**
 * Decodes base64 in either alphabet (RFC 4648, sections 4 and 5), with or without padding. ProtoJSON accepts all of these.
 *
 * @throws InvalidInput for any other text, including white space
 */
export function decodeBase64(text: string): Uint8Array {
  const rest = text.length % 4;
  if (!standardOrUrlSafe.test(text) || rest === 1 || (rest !== 0 && text.endsWith("="))) {
    throw new InvalidInput("must be base64");
  }
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** Encodes bytes as padded base64 in the standard alphabet. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
