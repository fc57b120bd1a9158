import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { durationForms, parseDuration } from "./duration.ts";

/**
 * The contract's plans, statuses and the reasons that a request may give. They stand here again so that help and the check of a command
 * line need none of the contract's code, which takes longer to load than to use.
 */
export const planWords = ["free", "pro", "business", "enterprise"] as const;
export const statusWords = ["available", "pending", "sold"] as const;

export const reasonWords = ["arrival", "return", "adjustment"] as const;

export type PlanWord = (typeof planWords)[number];
export type StatusWord = (typeof statusWords)[number];
export type ReasonWord = (typeof reasonWords)[number];

/** What every command takes. */
export interface CommonOptions {
  readonly json?: true;
}

/**
 * Adds a command that does something, as opposed to a group of commands.
 *
 * @param usage its name and arguments
 * @param about what it does; the first line is the summary
 * @param examples whole command lines
 */
export function addCommand(
  parent: Command,
  usage: string,
  about: string,
  ...examples: readonly string[]
): Command {
  const [summary = ""] = about.split("\n");
  const lines = examples.map((example) => `  $ ${example}\n`).join("");
  return parent
    .command(usage)
    .summary(summary)
    .description(about)
    .option("--json", "print JSON instead of text for people")
    .addHelpText("after", `\n${examples.length > 1 ? "Examples" : "Example"}:\n${lines}`);
}

/** The option that names a plan. */
export function planOption(): Option {
  return new Option("--plan <plan>", "the account's plan").choices(planWords).makeOptionMandatory();
}

/** The argument that names a plan. */
export function planArgument(): Argument {
  return new Argument("<plan>", "the new plan").choices(planWords);
}

/** Adds the options for an enterprise account's own limits. */
export function addLimitOptions(command: Command): Command {
  return command
    .option("--per-minute <n>", "requests a minute (with the plan enterprise, and only then)")
    .option("--per-day <n>", "requests a day (with the plan enterprise, and only then)");
}

/** The option that names a status. */
export function statusOption(): Option {
  return new Option("--status <status>", "the pet's status")
    .choices(statusWords)
    .makeOptionMandatory();
}

/** The argument that names a status. */
export function statusArgument(): Argument {
  return new Argument("<status>", "the new status").choices(statusWords);
}

/** Adds the options that say why the stock is changed. */
export function addReasonOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--reason <reason>", "why the stock is changed")
        .choices(reasonWords)
        .default("adjustment"),
    )
    .option("--note <text>", "a note for people")
    .option("--reference <text>", "what it belongs to elsewhere, such as the number of a delivery");
}

/** An option whose value is a duration; it is read to milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, `${description}: ${durationForms}`).argParser((text) => {
    const ms = parseDuration(text);
    if (ms === undefined) {
      throw new InvalidArgumentError(`It must be a duration such as ${durationForms}.`);
    }
    return ms;
  });
}

/** An option that can be repeated, and whose value can name several things, separated by commas. */
export function listOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text, previous: readonly string[] = []) => [
    ...previous,
    // What is left empty stays, to be refused: `--scope "$UNSET"` must not mean the default.
    ...text.split(",").map((part) => part.trim()),
  ]);
}
