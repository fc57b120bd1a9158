import type { Data } from "../data.ts";

/** A request that a load repeats, and how its answer is known to be right. */
export interface Call {
  readonly method: "GET" | "POST" | "PATCH";
  /** `{n}` stands for a number from 1 to 10 that differs from request to request. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Who calls: each key in turn. */
  keys(data: Data): readonly string[];
  readonly status: number;
  /** @throws Error that says what is wrong with the body */
  check(body: Buffer): void;
}

/** Makes a check of a condition. */
export function holds(wanted: string, isRight: (body: Buffer) => boolean): Call["check"] {
  return (body) => {
    if (!isRight(body)) {
      throw new Error(`the answer is not ${wanted}: ${body.subarray(0, 200)}`);
    }
  };
}

/** Callers whose limits are never reached. */
export function freeCallers({ keys }: Data): readonly string[] {
  return keys;
}
