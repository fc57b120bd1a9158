import type { Command, Option } from "commander";
import { present } from "../../call/present.ts";
import { type CompletionShell, completionWord, idNames } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { write } from "../output/terminal.ts";

/** A word that a shell can suggest. */
interface Suggestion {
  readonly word: string;
  readonly about: string;
}

/** An option that takes a value. */
interface ValueOption {
  readonly flag: string;
  /** Empty if the value can be anything, such as a file. */
  readonly choices: readonly string[];
}

/** What can follow a command. */
interface CompletionNode {
  /** Names of the command and its parents without the program, each after a slash: `/accounts/create`. */
  readonly path: string;
  readonly suggestions: readonly Suggestion[];
  readonly valueOptions: readonly ValueOption[];
  /** Whether an argument is an id, which the service knows. */
  readonly hasIds: boolean;
}

/** Prints the completion script of a shell. */
export async function printCompletion(
  { stdout }: Environment,
  program: Command,
  shell: CompletionShell,
): Promise<void> {
  await write(stdout, scripts[shell](nodesOf(program, "")));
}

const scripts: Readonly<Record<CompletionShell, (nodes: readonly CompletionNode[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Returns what can follow a command, and then each command below it. */
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
    hasIds: command.registeredArguments.some((argument) =>
      idNames.some((name) => name === argument.name()),
    ),
  };
  const names = (each: Command) => [each.name(), ...each.aliases()];
  return [
    node,
    ...commands.flatMap((each) => names(each).flatMap((name) => nodesOf(each, `${path}/${name}`))),
  ];
}

function flagOf({ long, short }: Option): string {
  return present(long ?? short, "the flag of an option");
}

/** The script for bash. It needs nothing else, such as the package bash-completion. */
function bashScript(nodes: readonly CompletionNode[]): string {
  return `_inventory() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path= words= i
  [[ $current == = ]] && current=
  [[ $previous == = ]] && previous=\${COMP_WORDS[COMP_CWORD-2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/\${COMP_WORDS[i]}" in
      ${pathPattern(nodes)}) path="$path/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $previous" in
${valueCases(nodes, (words) => `words=${quoted(words.join(" "))}`)}
    *)
      case "$path" in
${nodes.map(({ path, suggestions }) => `        ${quoted(path)}) words=${quoted(suggestions.map(({ word }) => word).join(" "))} ;;`).join("\n")}
      esac
      case "$path" in
        ${idPattern(nodes)})
          # Not from COMP_WORDS, which divides URLs.
          local line=\${COMP_LINE:0:COMP_POINT} typed
          read -ra typed <<< "$line"
          [[ $line == *' ' ]] && typed+=("")
          words+=" $("\${typed[0]}" ${completionWord} "\${typed[@]:1}" 2> /dev/null | cut -f 1)" ;;
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _inventory inventory
`;
}

/** The script for zsh. It works as a file in $fpath and when it is sourced. */
function zshScript(nodes: readonly CompletionNode[]): string {
  return `#compdef inventory
_inventory() {
  local previous=\${words[CURRENT-1]} at= i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/\${words[i]}" in
      ${pathPattern(nodes)}) at="$at/\${words[i]}" ;;
    esac
  done
  case "$at $previous" in
${valueCases(nodes, (words) => `compadd -- ${words.map(quoted).join(" ")}; return`, "_files; return")}
  esac
  case "$at" in
${nodes.map(({ path, suggestions }) => `    ${quoted(path)}) items=(${suggestions.map(zshItem).join(" ")}) ;;`).join("\n")}
  esac
  case "$at" in
    ${idPattern(nodes)})
      items+=(\${\${(f)"$($words[1] ${completionWord} "\${(@)words[2,CURRENT]}" 2> /dev/null)"}/$'\\t'/:}) ;;
  esac
  _describe 'inventory' items
}
if [[ $funcstack[1] == _inventory ]]; then
  _inventory "$@"
else
  compdef _inventory inventory
fi
`;
}

/** The script for fish. */
function fishScript(nodes: readonly CompletionNode[]): string {
  const lines = nodes.flatMap(({ path, suggestions, valueOptions }) =>
    suggestions.map(({ word, about }) => {
      const value = valueOptions.find(({ flag }) => flag === word);
      const at = `complete -c inventory -n ${fishQuoted(`__inventory_at "${path}"`)} -d ${fishQuoted(about)}`;
      if (!word.startsWith("--")) return `${at} -f -a ${fishQuoted(word)}`;
      const long = `${at} -l ${word.slice(2)}`;
      if (!value) return long;
      return value.choices.length > 0
        ? `${long} -x -a ${fishQuoted(value.choices.join(" "))}`
        : `${long} -r`;
    }),
  );
  const ids = nodes
    .filter(({ hasIds }) => hasIds)
    .map(
      ({ path }) =>
        `complete -c inventory -n ${fishQuoted(`__inventory_at "${path}"`)} -f -a '(__inventory_ids)'`,
    );
  return `function __inventory_at
  set -l path ""
  for word in (commandline -opc)[2..-1]
    switch "$path/$word"
      case ${paths(nodes).map(fishQuoted).join(" ")}
        set path "$path/$word"
    end
  end
  test "$path" = "$argv[1]"
end
function __inventory_ids
  set -l words (commandline -opc) (commandline -ct)
  $words[1] ${completionWord} $words[2..-1] 2> /dev/null
end
${[...lines, ...ids].join("\n")}
`;
}

/** The lines of a `case` for the values of options. */
function valueCases(
  nodes: readonly CompletionNode[],
  suggest: (words: readonly string[]) => string,
  anything = ":",
): string {
  return nodes
    .flatMap(({ path, valueOptions }) =>
      valueOptions.map(
        ({ flag, choices }) =>
          `    ${quoted(`${path} ${flag}`)}) ${choices.length > 0 ? suggest(choices) : anything} ;;`,
      ),
    )
    .join("\n");
}

function paths(nodes: readonly CompletionNode[]): string[] {
  return nodes.map(({ path }) => path).filter((path) => path !== "");
}

function pathPattern(nodes: readonly CompletionNode[]): string {
  return paths(nodes).join("|");
}

/** The paths of the commands with ids as arguments. */
function idPattern(nodes: readonly CompletionNode[]): string {
  return pathPattern(nodes.filter(({ hasIds }) => hasIds));
}

/** Returns a word and its description for `_describe`, which separates them by a colon. */
function zshItem({ word, about }: Suggestion): string {
  return quoted(`${word.replaceAll(":", "\\:")}:${about}`);
}

/** Quotes a text for bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a text for fish. */
function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
