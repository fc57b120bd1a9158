import { parseArgs } from "node:util";
import type { Case } from "./case.ts";

/** What the command line asks for. */
export interface Options {
  readonly quick: boolean;
  /** Parts of the names of the cases to run; all when empty. */
  readonly only: readonly string[];
  /** The case to profile in place of a comparison. */
  readonly profile: string | undefined;
}

/** @throws TypeError on an option that does not exist */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      profile: { type: "string" },
    },
  });
  return { quick: values.quick, only: values.only, profile: values.profile };
}

/**
 * Chooses cases by parts of their names.
 *
 * @throws Error that names all cases when none has such a name
 */
export function select(cases: readonly Case[], parts: readonly string[]): Case[] {
  const chosen = cases.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
  );
  if (chosen.length === 0) {
    throw new Error(`there is no such case; there are ${cases.map(({ name }) => name).join(", ")}`);
  }
  return chosen;
}
