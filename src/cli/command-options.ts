import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { type Environment, outputFormats } from "./environment.ts";
import { defaultWidth } from "./output/output.ts";
import { durationForms, parseDuration } from "./output/time.ts";

/**
 * The plans, policies, statuses, states and reasons that requests may have. They repeat the enums of the proto files, so
 * that help and argument checks do not load the generated code, which is slow to load. A test compares the two.
 */
export const planWords = ["free", "pro", "business", "enterprise"] as const;
export const writePolicyWords = ["any", "strict"] as const;
export const statusWords = ["available", "pending", "sold"] as const;

export const reasonWords = [
  "arrival",
  "return",
  "adjustment",
  "sale",
  "damage",
  "loss",
  "count",
] as const;

export const orderStatusWords = ["placed", "approved", "delivered", "cancelled"] as const;
/** The statuses that an operator can set. */
export const nextOrderStatusWords = ["approved", "delivered"] as const;

export const holdStateWords = ["active", "confirmed", "released", "expired"] as const;

export const completionShells = ["bash", "zsh", "fish"] as const;

export type CompletionShell = (typeof completionShells)[number];

/** The heading of the options that almost all commands have. It comes last. */
export const commonOptions = "Common options:";

/** The arguments that have the same meaning in all commands: the meaning, and an example. */
const meanings: Readonly<Record<string, readonly [meaning: string, example?: string]>> = {
  "<account-id>": ["the account id", "7k2mq0x4v9ab"],
  "[account-id]": ["the account id; all accounts if absent"],
  "<key-id>": ["the key id, not the key itself", "7k2mq0x4v9ab3h8rt1zc"],
  "<pet-id>": ["the pet id", "5"],
  "[pet-id]": ["the pet id; all pets if absent"],
  "<order-id>": ["the order id", "1793611800000417"],
  "<hold-id>": ["the hold id", "cart-7"],
};

/** A function of a module that a command calls with the environment, its arguments and its options. */
type Action = (environment: Environment, ...args: never[]) => Promise<void>;

/** The names of the functions of a module that commands can call. */
type ActionName<M> = { [N in keyof M]: M[N] extends Action ? N : never }[keyof M];

/** An argument or option of a command. */
type Term = Argument | Option;

/** What a command can use: Redis or, with --server, a running server; or only Redis and files. */
type Uses = "server" | "redis";

/**
 * Returns a function that adds commands to a parent, with the options for the format of a result. The module with their
 * functions is loaded only when a command runs, because the services and their messages are slow to load.
 */
export function commandsOf<M>(
  parent: Command,
  environment: Environment,
  load: () => Promise<M>,
  uses: Uses = "server",
) {
  /**
   * @param usage the name, then the arguments: `show <account-id>`. Those that {@link meanings} does not have are terms
   * @param about the first line is the summary in lists of commands
   * @param actionName the function of the module that the command calls
   * @param more further arguments and options, then examples: complete command lines. One is made of {@link meanings} if
   * there are none
   */
  return (
    usage: string,
    about: string,
    actionName: ActionName<M>,
    ...more: readonly (Term | string | readonly Term[])[]
  ): void => {
    const terms = more.flat();
    const examples = terms.filter((each) => typeof each === "string");
    const command = addCommand(parent, usage, about, examples).addOption(
      option("-o, --output <format>", "format of the result", outputFormats)
        .default(undefined, "table")
        .helpGroup(commonOptions),
    );
    if (uses === "server") {
      const about =
        "call a running server instead of Redis, with the key in INVENTORY_API_KEY or INVENTORY_API_KEY_FILE";
      command.addOption(new Option("--server <url>", about).helpGroup(commonOptions));
    }
    for (const term of terms) {
      if (term instanceof Option) command.addOption(term);
      else if (term instanceof Argument) command.addArgument(term);
    }
    const placeOfPet = addSkuOption(command);
    command.action(async (...args) => {
      args.unshift(args.splice(placeOfPet(), 1)[0]);
      // Commander passes what the terms of the command say, which the types of the actions repeat.
      const { [actionName]: action } = await load();
      await (action as (...all: readonly unknown[]) => Promise<void>)(environment, ...args);
    });
  };
}

/**
 * Adds `--sku` to a command whose first argument is a pet id, unless it has such an option. With --sku, the pet id is an
 * optional last argument, so that the others move up, and the action can refuse both.
 *
 * @returns a function that returns the place of the first argument in the command line
 */
function addSkuOption(command: Command): () => number {
  const [pet, ...others] = command.registeredArguments;
  const isTaken = command.options.some(({ long }) => long === "--sku");
  if (pet?.name() !== "pet-id" || pet.variadic || isTaken) return () => 0;
  const term = pet.required ? "<pet-id>" : "[pet-id]";
  command.addOption(option("--sku <code>", `the SKU of the pet, instead of ${term}`));
  let place = 0;
  command.on("option:sku", () => {
    Object.assign(command, { registeredArguments: [...others, pet.argOptional()] });
    place = others.length;
  });
  return () => place;
}

/** Returns an option that can be given several times, for a list of its values. */
export function repeatedOption(flags: string, meaning: string): Option {
  return option(flags, `${meaning}; can be repeated`).argParser((text, earlier: string[] = []) => [
    ...earlier,
    text,
  ]);
}

/** Adds a command without options. The parameters are those of {@link commandsOf}. */
export function addCommand(
  parent: Command,
  usage: string,
  about: string,
  examples: readonly string[],
): Command {
  const [name = "", ...terms] = usage.split(" ");
  const [summary = ""] = about.split("\n");
  const command = parent.command(name).summary(summary).description(unwrapped(about));
  for (const term of terms) command.argument(term, meanings[term]?.[0]);
  const words = terms.flatMap((term) => meanings[term]?.[1] ?? []);
  const path = [parent.parent?.name() ?? [], parent.name(), name].flat();
  const shown = examples.length > 0 ? examples : [[...path, ...words].join(" ")];
  return command.addHelpText("after", () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? defaultWidth;
    const lines = shown.map((example) => `  $ ${wrapped(example, width - 4)}\n`);
    return `\n${shown.length > 1 ? "Examples" : "Example"}:\n${lines.join("")}`;
  });
}

/** Wraps a command line at a width, so that a shell understands it. */
function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= width - " \\".length) lines.splice(-1, 1, longer);
    else lines.push(lines.length === 0 ? word : `    ${word}`);
  }
  return lines.join(" \\\n");
}

/** Joins the lines of each paragraph, because the help is wrapped at the width of the terminal. */
function unwrapped(text: string): string {
  return text.replace(/(?<!\n)\n(?!\n)/g, " ");
}

/** Describes an option or an argument in a help: its meaning, its choices, its default, then examples. */
export function describe(described: Option | Argument): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = described;
  const [, meaning, examples = ""] = /^(.*?)(\. Examples: .*)?$/s.exec(description) ?? [];
  const byDefault = defaultValueDescription ?? defaultValue;
  return [
    meaning,
    argChoices ? `: ${argChoices.join(", ")}` : "",
    byDefault === undefined ? "" : `. Default ${byDefault}`,
    examples,
  ].join("");
}

/** Returns an argument. @param words its values; anything if absent */
export function argument(term: string, meaning: string, words?: readonly string[]): Argument {
  const made = new Argument(term, meaning);
  return words ? made.choices(words) : made;
}

/** Returns an option. @param words its values; anything if absent */
export function option(flags: string, meaning: string, words?: readonly string[]): Option {
  const made = new Option(flags, meaning);
  return words ? made.choices(words) : made;
}

/** Returns an option whose value `parse` makes of a text; undefined if the text is not a `form`, as the error calls it. */
export function parsedOption<T>(
  flags: string,
  meaning: string,
  parse: (text: string) => T | undefined,
  form: string,
): Option {
  return option(flags, meaning).argParser((text) => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${form}.`);
    return value;
  });
}

/** Returns an option whose value is a duration, parsed to milliseconds. @param byDefault what its absence means */
export function durationOption(flags: string, meaning: string, byDefault?: string): Option {
  const described = `${meaning}. Examples: 30d, 15m`;
  const form = `a duration such as ${durationForms}`;
  return parsedOption(flags, described, parseDuration, form).default(undefined, byDefault);
}

/** Returns the option `--limit` of a list. @param byDefault its default; the list is complete if absent */
export function limitOption(byDefault?: number, highest = 999_999): Option {
  const option = countOption("--limit <n>", "maximum number of results", highest);
  return option.default(byDefault, `${byDefault ?? "all"}`);
}

/** Returns an option whose value is an integer from 1. */
export function countOption(flags: string, meaning: string, highest: number): Option {
  const parse = (text: string) =>
    /^[1-9]\d{0,9}$/.test(text) && Number(text) <= highest ? Number(text) : undefined;
  return parsedOption(flags, meaning, parse, `an integer from 1 to ${highest}`);
}
