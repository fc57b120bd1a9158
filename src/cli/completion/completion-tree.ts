import type { Command, Option } from "commander";
import { present } from "../../call/present.ts";

/** A word that a shell can suggest. */
export interface Suggestion {
  readonly word: string;
  readonly about: string;
}

/** An option that takes a value. */
export interface ValueOption {
  readonly flag: string;
  /** Empty if the value can be anything, such as a file. */
  readonly choices: readonly string[];
}

/** What can follow a command. */
export interface CompletionNode {
  /** Names of the command and its parents without the program, each after a slash: `/accounts/create`. */
  readonly path: string;
  readonly suggestions: readonly Suggestion[];
  readonly valueOptions: readonly ValueOption[];
}

/** Returns what can follow each command of a program. The first one is the program itself. */
export function completionTree(program: Command): CompletionNode[] {
  return nodesOf(program, "");
}

function nodesOf(command: Command, path: string): CompletionNode[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const node = {
    path,
    suggestions: [
      ...commands.map((each) => ({
        word: each.name(),
        about: each.summary() || each.description(),
      })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((word) => ({ word, about: description })),
      ),
      ...options.map((option) => ({ word: flagOf(option), about: option.description })),
    ],
    valueOptions: options
      .filter(({ required, optional }) => required || optional)
      .map((option) => ({ flag: flagOf(option), choices: option.argChoices ?? [] })),
  };
  return [node, ...commands.flatMap((each) => nodesOf(each, `${path}/${each.name()}`))];
}

function flagOf({ long, short }: Option): string {
  return present(long ?? short, "the flag of an option");
}
