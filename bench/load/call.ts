import type { Data } from "../data.ts";

/** A request that a load repeats, and how its answer is known to be right. */
export interface Call {
  readonly method: "GET" | "POST" | "PATCH";
  /** `{n}` stands for a value that differs from request to request. */
  readonly path: string;
  /** What `{n}` stands for, in turn; the numbers from 1 to 10 when absent. */
  readonly values?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Who calls: each key in turn. */
  keys(data: Data): readonly string[];
  readonly status: number;
  /**
   * @param value what `{n}` stood for
   * @throws Error that says what is wrong with the body
   */
  check(body: Buffer, value: string): void;
}

/** Makes a check of a condition. */
export function holds(
  wanted: string,
  isRight: (body: Buffer, value: string) => boolean,
): Call["check"] {
  return (body, value) => {
    if (!isRight(body, value)) {
      throw new Error(`the answer is not ${wanted}: ${body.subarray(0, 200)}`);
    }
  };
}

/** What `{n}` stands for in a call that does not say. */
const usualValues: readonly string[] = Array.from({ length: 10 }, (_, index) => String(index + 1));

/** What `{n}` stands for in a call, in turn. */
export function valuesOf({ values = usualValues }: Call): readonly string[] {
  return values;
}

/** Callers whose limits are never reached. */
export function freeCallers({ keys }: Data): readonly string[] {
  return keys;
}
