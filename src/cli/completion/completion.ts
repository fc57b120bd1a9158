import type { Command, Option } from "commander";
import type { CompletionShell } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { write } from "../output/terminal.ts";

/** A word that a shell can suggest, and what it means. */
type Suggestion = readonly [word: string, about?: string];

/** What can follow a command. */
interface Place {
  /** Names of the command and its parents without the program, each after a slash: `/accounts/create`. */
  readonly path: string;
  readonly suggestions: readonly Suggestion[];
  readonly options: readonly Option[];
}

export async function printCompletion(
  { stdout }: Environment,
  program: Command,
  shell: CompletionShell,
): Promise<void> {
  await write(stdout, scripts[shell](placesOf(program, "")));
}

/** Returns what can follow a command, and then each command below it. */
function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const suggestions: Suggestion[] = [
    ...commands.map((each) => [each.name(), each.summary() || each.description()] as const),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((word) => [word, description] as const),
    ),
    ...options.map(({ long, description }) => [`${long}`, description] as const),
  ];
  return [
    { path, suggestions, options },
    ...commands.flatMap((each) => placesOf(each, `${path}/${each.name()}`)),
  ];
}

const scripts: Readonly<Record<CompletionShell, (places: readonly Place[]) => string>> = {
  /** It needs nothing else, such as the package bash-completion. */
  bash: (places) => `_inventory() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path= words= i
  [[ $current == = ]] && current=
  [[ $previous == = ]] && previous=\${COMP_WORDS[COMP_CWORD-2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/\${COMP_WORDS[i]}" in
      ${pathsOf(places).join("|")}) path="$path/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $previous" in
${casesOf(places, (found) => `words=${quoted(found.map(([word]) => word).join(" "))}`, ":")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _inventory inventory
`,

  /** It works as a file in $fpath and when it is sourced. */
  zsh: (places) => `#compdef inventory
_inventory() {
  local previous=\${words[CURRENT-1]} at= i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/\${words[i]}" in
      ${pathsOf(places).join("|")}) at="$at/\${words[i]}" ;;
    esac
  done
  case "$at $previous" in
${casesOf(places, (found) => `items=(${found.map(zshItem).join(" ")})`, "_files; return")}
  esac
  _describe 'inventory' items
}
if [[ $funcstack[1] == _inventory ]]; then
  _inventory "$@"
else
  compdef _inventory inventory
fi
`,

  fish: (places) => `function __inventory_at
  set -l path ""
  for word in (commandline -opc)[2..-1]
    switch "$path/$word"
      case ${pathsOf(places).map(fishQuoted).join(" ")}
        set path "$path/$word"
    end
  end
  test "$path" = "$argv[1]"
end
${places.flatMap(fishLines).join("\n")}
`,
};

function pathsOf(places: readonly Place[]): string[] {
  return places.map(({ path }) => path).filter((path) => path !== "");
}

/** Returns the lines of a `case` on a path and the word before: the values of options, then what follows a command. */
function casesOf(
  places: readonly Place[],
  suggest: (found: readonly Suggestion[]) => string,
  anything: string,
): string {
  const cases = places.flatMap(({ path, suggestions, options }) => [
    ...options.filter(hasValue).map(({ long, short, argChoices }) => {
      const flags = [long, short].filter((flag) => flag !== undefined);
      const patterns = flags.map((flag) => quoted(`${path} ${flag}`)).join("|");
      return `${patterns}) ${argChoices ? suggest(argChoices.map((word) => [word])) : anything}`;
    }),
    `${quoted(`${path} `)}*) ${suggest(suggestions)}`,
  ]);
  return cases.map((each) => `    ${each} ;;`).join("\n");
}

function fishLines({ path, suggestions, options }: Place): string[] {
  return suggestions.map(([word, about = ""]) => {
    const at = `complete -c inventory -n ${fishQuoted(`__inventory_at "${path}"`)} -d ${fishQuoted(about)}`;
    const option = options.find(({ long }) => long === word);
    if (!option) return `${at} -f -a ${fishQuoted(word)}`;
    const { short, argChoices } = option;
    const named = `${at} -l ${word.slice(2)}${short ? ` -s ${short.slice(1)}` : ""}`;
    if (!hasValue(option)) return named;
    return argChoices ? `${named} -x -a ${fishQuoted(argChoices.join(" "))}` : `${named} -r`;
  });
}

function hasValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** Returns a word and its description for `_describe`, which separates them by a colon. */
function zshItem([word, about]: Suggestion): string {
  const escaped = word.replaceAll(":", "\\:");
  return quoted(about === undefined ? escaped : `${escaped}:${about}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
