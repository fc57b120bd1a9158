import { type DescMessage, fromJson, type Message } from "@bufbuild/protobuf";
import { unlimited as maxPaths, tooManyItems } from "../../call/annotations.ts";
import { InvalidInput, OutOfBounds } from "../../http/invalid-input.ts";

export interface TextForm {
  /** Checks what protobuf-es does not. @throws OutOfBounds when the text is too long */
  readonly isValid: (text: string) => boolean;
  readonly expected: string;
}

/** The well-known types whose JSON is a string in a format of its own. */
export const textForms: ReadonlyMap<string, TextForm> = new Map([
  [
    "google.protobuf.Timestamp",
    { isValid: isTimestamp, expected: "an RFC 3339 timestamp such as 2026-11-01T09:30:00Z" },
  ],
  [
    "google.protobuf.Duration",
    {
      isValid: (text) => /^-?\d{1,12}(\.\d{1,9})?s$/.test(text),
      expected: "a duration in seconds such as 3.5s",
    },
  ],
  [
    "google.protobuf.FieldMask",
    { isValid: isFieldMask, expected: "field paths in lowerCamelCase, separated by commas" },
  ],
]);

/** Reads a message from its text form. @throws InvalidInput when the text is invalid or too long */
export function parseForm(
  { isValid, expected }: TextForm,
  text: string,
  desc: DescMessage,
): Message {
  if (isValid(text)) {
    try {
      return fromJson(desc, text);
    } catch {
      // It is out of range.
    }
  }
  throw new InvalidInput(`must be ${expected}`);
}

const timestampPattern =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isTimestamp(text: string): boolean {
  const [, local = ""] = timestampPattern.exec(text) ?? [];
  const ms = Date.parse(`${local}Z`);
  // protobuf-es and Date.parse read February 30 as March 2, and 24:00:00 as the next day.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(local);
}

/** Longest text of a google.protobuf.FieldMask, in bytes: each capital letter costs almost as much as a path. */
const longestMask = 8 * 1024;

function isFieldMask(text: string): boolean {
  if (text.length > longestMask) {
    throw new OutOfBounds(`must have at most ${longestMask} characters`);
  }
  const paths = text.split(",", maxPaths + 1);
  if (paths.length > maxPaths) throw new OutOfBounds(tooManyItems(maxPaths));
  // `*` is all fields (AIP-134), or all elements (AIP-161).
  const pattern = /^(\*|[A-Za-z0-9]+)(\.(\*|[A-Za-z0-9]+))*$/;
  return text === "" || paths.every((path) => pattern.test(path));
}
