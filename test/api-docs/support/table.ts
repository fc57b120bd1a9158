import type { Contract, Reply } from "../../contract/support.ts";

/** A request to an operation, and the documented response. */
export interface Provocation {
  readonly operationId: string;
  readonly status: number;
  readonly what: string;
  /** `X-Error-Reason` of the response; undefined when it is not an error. */
  readonly reason?: string;
  /** Name of the example in the document that equals the body. */
  readonly example?: string | undefined;
  /** Whether the document covers the status with `default`. */
  readonly isDefault?: boolean;
  /** Whether the request is sent after the sunset of the operation. */
  readonly afterSunset?: boolean;
  readonly ask: (contract: Contract) => Promise<Reply>;
}

const keyPattern =
  /^(?:(?<operationId>\w+) )?(?<status>\d{3})(?<rest>\*)?(?: (?<reason>\w+)(?<example>=\w*)?)?: (?<what>.+)$/;

/**
 * Reads provocations from a table.
 *
 * @param rows requests by `operationId status REASON=EXAMPLE: what`. All but the status and `what` can be absent. `REASON=`
 * names the example of this reason. A `*` after the status says that the document covers it with `default`
 */
export function table(rows: Readonly<Record<string, Provocation["ask"]>>): Provocation[] {
  return Object.entries(rows).map(([key, ask]) => {
    const groups = keyPattern.exec(key)?.groups;
    if (!groups) throw new Error(`not a key of a provocation: ${key}`);
    const { operationId = "", status, rest, reason, example, what = "" } = groups;
    return {
      operationId,
      status: Number(status),
      what,
      ...(reason !== undefined && { reason }),
      ...(example !== undefined && { example: example.slice(1) || reason }),
      ...(rest !== undefined && { isDefault: true }),
      ask,
    };
  });
}
