import { parseArgs } from "node:util";

/** The options of the command line. */
export interface Options {
  readonly minutes: number;
  readonly seed: number;
  /** The range of cases to replay; undefined to search for new faults. */
  readonly replay: { readonly first: number; readonly last: number } | undefined;
}

const usage = `npm run task fuzz -- [--minutes N] [--seed S] [--case K | --case J-K]

  --minutes N  time to run, up to 1440 (default: 1)
  --seed S     seed of the random cases (default: a new one)
  --case K     run only this case, and print it
  --case J-K   run cases J to K in order, and print the last: for faults that need earlier cases
`;

/** Parses the command line. @throws Error with the usage if an option is invalid */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        minutes: { type: "string", default: "1" },
        seed: { type: "string" },
        case: { type: "string" },
      },
    });
    const seed = values.seed === undefined ? Date.now() % 2 ** 31 : integer("seed", values.seed);
    const minutes = Number(values.minutes);
    if (!(minutes > 0 && minutes <= 1_440)) {
      throw new Error("--minutes must be greater than 0 and at most 1440");
    }
    const replay = values.case === undefined ? undefined : rangeOf(values.case);
    return { minutes, seed, replay };
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
    throw new Error(`--${name} must be an integer between 0 and ${2 ** 31 - 1}`);
  }
  return value;
}
