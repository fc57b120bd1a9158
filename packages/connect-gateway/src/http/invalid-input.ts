import { abridge } from "../call/quote.ts";
/**
 * An error in a part of a request that cannot be read into the request message. The client receives its text.
 */
export class InvalidInput extends Error {
  /** The path to the invalid value in JSON names, such as `items[2].petId`; "" for the whole request. */
  path: string;

  /** @param message a human-readable text that says what is wrong, and what to do */
  constructor(message: string, path = "") {
    super(message);
    this.name = "InvalidInput";
    this.path = path;
  }
}

/** A text that is not JSON. Its error names the position in the text instead of a path. */
export class MalformedJson extends InvalidInput {}

/** A value that breaks a rule of the contract, although it can be read. */
export class OutOfBounds extends InvalidInput {}

/**
 * Adds a member or an element to the path of an error. Call it from the innermost level to the outermost while the
 * error is thrown. In this way, a read without an error needs no path.
 *
 * @param step the name of a member, or `[index]` for an element
 * @returns the error, to be rethrown
 */
export function within(step: string, error: unknown): unknown {
  if (error instanceof InvalidInput && !(error instanceof MalformedJson)) {
    const separator = error.path === "" || error.path.startsWith("[") ? "" : ".";
    error.path = abridge(step) + separator + error.path;
  }
  return error;
}

/** Returns the text for the client: the path, if there is one, and the message. */
export function describe({ path, message }: InvalidInput): string {
  return path === "" ? message : `${path}: ${message}`;
}
