import type { Argument, Command } from "commander";

/** The options and arguments of fields that have another name, by the last name of the field. */
const others: Readonly<Record<string, string>> = {
  delta: "--by",
  limits: "--per-minute with --per-day",
  write_policy: "<policy>",
};

/**
 * Returns the option or argument of a command that a field of a request comes from: the one whose name the field has, or
 * begins with. `limits.per_day` is `--per-day`, and `allowed_addresses` is `--allowed-address`.
 *
 * @param field path in proto names
 * @returns the path itself if there is none
 */
export function sourceOfField(command: Command, field: string): string {
  const path = field.replace(/\[\d+\]/g, "");
  const name = path.replace(/^.*\./, "");
  const terms = [
    ...command.registeredArguments.map((each) => [each.name(), termOf(each)]),
    // The option --new-sku has the field `sku`, and --sku says of which pet. The former comes first.
    ...command.options.map(({ long }) => [`${long}`.replace(/^--(new-)?/, ""), `${long}`]),
  ];
  const fits = terms.filter(([term = ""]) => name.replaceAll("_", "-").startsWith(term));
  const [[, best] = []] = fits.toSorted(([a = ""], [b = ""]) => b.length - a.length);
  return others[name] ?? best ?? path;
}

/** Returns an argument as usages have it, such as `[pet-id...]`. */
function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
