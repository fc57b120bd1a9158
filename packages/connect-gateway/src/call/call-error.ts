import { type Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";

/** Headers by name in lower case. Several values of Set-Cookie are an array, because they cannot be joined. */
export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

export function recordOf(headers: Headers): HeaderValues {
  const cookies = headers.getSetCookie();
  const record = Object.fromEntries(headers);
  return cookies.length > 1 ? { ...record, "set-cookie": cookies } : record;
}

export function appendAll(headers: Headers, record: HeaderValues = {}): Headers {
  for (const name in record) {
    for (const value of [record[name] ?? []].flat()) headers.append(name, value);
  }
  return headers;
}

interface Extras {
  readonly headers?: HeaderValues | undefined;
  readonly details?: ConnectError["details"] | undefined;
  readonly cause?: unknown;
}

/** Connect recognizes its errors by the names of their properties, so this class need not be a subclass. */
class CallError extends Error {
  override readonly name = "ConnectError";
  readonly isWireError = false;
  readonly rawMessage: string;
  readonly code: Code;
  details: ConnectError["details"];
  readonly #headers: HeaderValues;
  #metadata: Headers | undefined;

  constructor(message: string, code: Code, { headers = {}, details = [], cause }: Extras) {
    super(`[${codeToString(code)}] ${message}`);
    this.rawMessage = message;
    this.code = code;
    this.details = details;
    this.cause = cause;
    this.#headers = headers;
  }

  get metadata(): Headers {
    this.#metadata ??= appendAll(new Headers(), this.#headers);
    return this.#metadata;
  }

  static headersOf(error: ConnectError): HeaderValues {
    const isUnread = #headers in error && error.#metadata === undefined;
    return isUnread ? error.#headers : recordOf(error.metadata);
  }
}

// The other methods of ConnectError.
Object.setPrototypeOf(CallError.prototype, ConnectError.prototype);

/**
 * Makes a ConnectError that creates its `metadata` when it is first read. These are web headers: to make the first ones,
 * node loads its whole `fetch`, which takes 50 ms and 16 MB.
 *
 * @param extras its headers with names in lower case, its details, and its private cause
 */
export function callError(message: string, code: Code, extras: Extras = {}): ConnectError {
  return new CallError(message, code, extras) as unknown as ConnectError;
}

/** Returns the headers of an error, by their names in lower case. */
export const { headersOf } = CallError;
