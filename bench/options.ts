import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Case } from "./case.ts";

/** The options of the command line. */
export interface Options {
  /** Short runs that are compared with the targets. */
  readonly quick: boolean;
  /** Runs of full length that are compared with the targets, and do not write the report. */
  readonly check: boolean;
  /** Parts of the names of the cases to run. All cases run if it is empty. */
  readonly only: readonly string[];
  /** The case to profile instead of comparing. */
  readonly profile: string | undefined;
  /** Folder of another checkout that replaces the peers. */
  readonly against: string | undefined;
  /** Compare with the baseline, and fail if a request costs more. */
  readonly gate: boolean;
}

/** @throws TypeError on an option that does not exist */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      profile: { type: "string" },
      against: { type: "string" },
      gate: { type: "boolean", default: false },
    },
  });
  const { against, profile, ...others } = values;
  return { ...others, profile, against: against && resolve(against) };
}

/**
 * Selects cases by parts of their names.
 *
 * @throws Error that names all cases if no name matches
 */
export function select(cases: readonly Case[], parts: readonly string[]): Case[] {
  const chosen = cases.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
  );
  if (chosen.length === 0) {
    throw new Error(
      `No case has such a name. Choose from ${cases.map(({ name }) => name).join(", ")}`,
    );
  }
  return chosen;
}
