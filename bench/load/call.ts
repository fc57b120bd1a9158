import type { Data } from "../data.ts";

/** A request that a load repeats, and a check of its response. */
export interface Call {
  readonly method: "GET" | "POST" | "PATCH";
  /** `{n}` is replaced by a value that differs between requests. */
  readonly path: string;
  /** The values of `{n}`, used in turn; the numbers from 1 to 10 if absent. */
  readonly values?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The API keys, used in turn. */
  keys(data: Data): readonly string[];
  readonly status: number;
  /**
   * @param value the value of `{n}`
   * @throws Error that says what is wrong with the body
   */
  check(body: Buffer, value: string): void;
}

/** Returns a check of a condition. */
export function holds(
  wanted: string,
  isRight: (body: Buffer, value: string) => boolean,
): Call["check"] {
  return (body, value) => {
    if (!isRight(body, value)) {
      throw new Error(`the response is not ${wanted}: ${body.subarray(0, 200)}`);
    }
  };
}

/** The values of `{n}` in a call without values. */
const usualValues: readonly string[] = Array.from({ length: 10 }, (_, index) => String(index + 1));

/** Returns the values of `{n}` in a call. */
export function valuesOf({ values = usualValues }: Call): readonly string[] {
  return values;
}

/** Returns callers that never reach their limits. */
export function freeCallers({ keys }: Data): readonly string[] {
  return keys;
}
