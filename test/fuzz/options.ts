import { parseArgs } from "node:util";

/** What the command line asks for. */
export interface Options {
  readonly minutes: number;
  readonly seed: number;
  /** The only cases to run, and those of their mutations that are made. */
  readonly replay:
    | { readonly first: number; readonly last: number; readonly only?: ReadonlySet<number> }
    | undefined;
}

const usage = `npm run fuzz -- [--minutes N] [--seed S] [--case K [--only I,J] | --case J-K]

  --minutes N  how long to run; 1 when absent
  --seed S     the seed of the cases; a new one when absent
  --case K     run one case alone, and print it
  --case J-K   run cases one after the other, and print the last: for faults that need earlier cases
  --only I,J   make only these of its mutations
`;

/** @throws Error with the usage when the command line is wrong */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        minutes: { type: "string", default: "1" },
        seed: { type: "string" },
        case: { type: "string" },
        only: { type: "string" },
      },
    });
    const seed = values.seed === undefined ? Date.now() % 2 ** 31 : integer("seed", values.seed);
    const minutes = Number(values.minutes);
    if (!(minutes > 0 && minutes <= 1_440)) throw new Error("--minutes must be from 0 to 1440");
    const only = values.only?.split(",").filter((index) => index !== "");
    return {
      minutes,
      seed,
      replay:
        values.case === undefined
          ? undefined
          : {
              ...rangeOf(values.case),
              ...(only && { only: new Set(only.map((index) => integer("only", index))) }),
            },
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

function rangeOf(text: string): { first: number; last: number } {
  const [first = "", last = first] = text.split("-");
  return { first: integer("case", first), last: integer("case", last) };
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value >= 2 ** 31) {
    throw new Error(`--${name} must be an integer from 0 to ${2 ** 31 - 1}`);
  }
  return value;
}
