import { type Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { Environment } from "./environment.ts";
import { defaultWidth } from "./output/output.ts";
import { durationForms, parseDuration } from "./output/time.ts";

/**
 * The plans, policies, statuses, states and reasons that requests may have. They repeat the enums of the proto files, so
 * that help and argument checks do not load the generated code, which is slow to load. A test compares the two.
 */
export const planWords = ["free", "pro", "business", "enterprise"] as const;
export const writePolicyWords = ["any", "strict"] as const;
export const statusWords = ["available", "pending", "sold"] as const;

export const reasonWords = ["arrival", "return", "adjustment"] as const;

export const orderStatusWords = ["placed", "approved", "delivered", "cancelled"] as const;
/** The statuses that an operator can set. */
export const nextOrderStatusWords = ["approved", "delivered"] as const;

export const holdStateWords = ["active", "confirmed", "released", "expired"] as const;

/** The shells that can complete command lines. */
export const completionShells = ["bash", "zsh", "fish"] as const;

export type CompletionShell = (typeof completionShells)[number];

/** The formats of results. */
const outputFormats = ["table", "json", "ndjson", "csv"] as const;

export type OutputFormat = (typeof outputFormats)[number];

/**
 * Returns the action of a command: calls a function with the environment, the arguments and the options. Its module is
 * loaded only when the command runs, because the services and their messages are slow to load.
 */
export function lazy<A extends readonly unknown[]>(
  environment: Environment,
  load: () => Promise<(environment: Environment, ...args: A) => Promise<void>>,
): (...args: A) => Promise<void> {
  return async (...args) => (await load())(environment, ...args);
}

/** The heading of the options that almost all commands have. It comes last. */
export const commonOptions = "Common options:";

/** The parent of a command, and what its help says. */
type CommandHelp = readonly [
  parent: Command,
  /** The name, then the arguments: `show <account-id>`. Arguments that {@link meanings} does not have follow later. */
  usage: string,
  /** The first line is the summary in lists of commands. */
  description: string,
  /** Complete command lines; one is made of {@link meanings} if there are none. */
  ...examples: string[],
];

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

/**
 * Adds a command that uses Redis or, with --server, a running server. It has the options for the format of its result,
 * and examples in its help.
 */
export function addCommand(...help: CommandHelp): Command {
  return addLocalCommand(...help).addOption(
    new Option(
      "--server <url>",
      "call a running server instead of Redis, with the key in INVENTORY_API_KEY or INVENTORY_API_KEY_FILE",
    ).helpGroup(commonOptions),
  );
}

/** Like {@link addCommand}, for a command that no server can do. */
export function addLocalCommand(...help: CommandHelp): Command {
  return addBareCommand(...help).addOption(
    choice("-o, --output <format>", "format of the result", outputFormats)
      .default(undefined, "table")
      .helpGroup(commonOptions),
  );
}

/** Like {@link addLocalCommand}, for a command whose result has one format. */
export function addBareCommand(...[parent, usage, description, ...examples]: CommandHelp): Command {
  const [name = "", ...terms] = usage.split(" ");
  const [summary = ""] = description.split("\n");
  const command = parent.command(name).summary(summary).description(unwrapped(description));
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

/** Adds the options for the limits of an enterprise account. */
export function addLimitOptions(command: Command): Command {
  return command
    .option("--per-minute <n>", "requests per minute, 1 to 1000000; only for the plan enterprise")
    .option("--per-day <n>", "requests per day, 1 to 1000000000; only for the plan enterprise");
}

/** Adds the options for the reason of a change. */
export function addReasonOptions(command: Command): Command {
  return command
    .addOption(
      choice("--reason <reason>", "reason for the change", reasonWords).default("adjustment"),
    )
    .option("--note <text>", "a human-readable note, up to 500 characters")
    .option(
      "--reference <text>",
      "a record in another system, such as a delivery number, up to 100 characters",
    );
}

/** Returns an option with some possible values. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words);
}

/** Returns an option whose value is a duration, parsed to milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, `${description}. Examples: 30d, 15m`).argParser((text) => {
    const ms = parseDuration(text);
    if (ms === undefined) {
      throw new InvalidArgumentError(`It must be a duration such as ${durationForms}.`);
    }
    return ms;
  });
}

/** Returns the option `--limit` of a list. @param byDefault its default; the list is complete if absent */
export function limitOption(byDefault?: number, highest = 999_999): Option {
  const option = countOption("--limit <n>", "maximum number of results", highest);
  return option.default(byDefault, `${byDefault ?? "all"}`);
}

/** Returns an option whose value is an integer from 1. */
export function countOption(flags: string, description: string, highest: number): Option {
  return new Option(flags, description).argParser((text) => {
    const count = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
    if (count === 0 || count > highest) {
      throw new InvalidArgumentError(`It must be an integer from 1 to ${highest}.`);
    }
    return count;
  });
}
