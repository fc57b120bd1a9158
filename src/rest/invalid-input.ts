/**
 * Something in a request that can't be read into the request message: the client's fault, always told
 * to it.
 */
export class InvalidInput extends Error {
  /** JSON names from the request's outside to the fault, such as `items[2].petId`; "" for the whole. */
  path: string;
  /** What is wrong and what to do, for people. */
  readonly reason: string;

  constructor(reason: string, path = "") {
    super(reason);
    this.name = "InvalidInput";
    this.reason = reason;
    this.path = path;
  }
}

/** A text that is not JSON at all: told by its position, so a path would only be in the way. */
export class MalformedJson extends InvalidInput {}

/**
 * Says of an error in which member or element it happened. To be called on the way out, from the
 * inside to the outside, so that reading without an error keeps no path.
 *
 * @param step a member's name, or an element as `[index]`
 * @returns the error, to be thrown on
 */
export function within(step: string, error: unknown): unknown {
  if (error instanceof InvalidInput && !(error instanceof MalformedJson)) {
    const separator = error.path === "" || error.path.startsWith("[") ? "" : ".";
    error.path = abridge(step) + separator + error.path;
  }
  return error;
}

/** The message for the client: the path, if there is one, and the reason. */
export function describe({ path, reason }: InvalidInput): string {
  return path === "" ? reason : `${path}: ${reason}`;
}

/** Shows a client's text in a message: quoted and not longer than is of use. */
export function quote(text: string): string {
  return JSON.stringify(abridge(text));
}

const longest = 80;

function abridge(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
