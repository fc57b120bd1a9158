import { memoize } from "../../call/memoize.ts";
import { present } from "../../call/present.ts";

/** Lua's keywords, and the names that Redis and Lua define for every script. */
const predefined = new Set(
  (
    "and break do else elseif end false for function if in local nil not or repeat return then true until while " +
    "KEYS ARGV redis struct bit math string table ipairs pairs unpack tonumber tostring"
  ).split(" "),
);

/**
 * Makes a function that returns a script after the libraries that it uses, each of which is there once. The first line
 * of a file names its libraries: `-- import: clock stock`. Every library that a file uses must be there, and no other.
 * The function throws an Error when a file does not exist, uses a name that is not defined, or does not use a library
 * that it names.
 *
 * @param files the source of every Lua file, by its name without extension
 * @param constants names that are defined for every script
 */
export function createLinker(
  files: ReadonlyMap<string, string>,
  constants: Iterable<string>,
): (script: string) => string {
  const defined = new Set([...predefined, ...constants]);
  /** The names of a checked file and of its libraries, in order. */
  const read = memoize((name: string): readonly string[] => {
    const source = files.get(name);
    if (source === undefined) throw new Error(`there is no ${name}.lua`);
    const imports = /^-- import: (.+)\n/.exec(source)?.[1]?.split(" ") ?? [];
    const order = new Set([...imports.flatMap(read), name]);

    const code = withoutTexts(source);
    const missing = usedNames(code).difference(defined);
    for (const each of localNames(code)) missing.delete(each);
    for (const each of imports) {
      const used = exportsOf(present(files.get(each), each)).filter((known) =>
        missing.delete(known),
      );
      if (used.length === 0) throw new Error(`${name}.lua imports ${each} without a use of it`);
    }
    if (missing.size > 0) {
      throw new Error(`${name}.lua uses ${[...missing].join(", ")} without an import of it`);
    }
    return [...order];
  }, files.size);
  return (script) =>
    read(script)
      .map((name) => files.get(name))
      .join("\n");
}

/** Returns the names that a library defines: those of its locals outside functions. */
function exportsOf(source: string): string[] {
  return namesIn(source, /^local (?:function )?(\w+(?:, \w+)*)/gm);
}

/** Returns the names of locals, loop variables and parameters. */
function localNames(code: string): string[] {
  const locals = namesIn(code, /\b(?:local|for) (?:function )?(\w+(?:, \w+)*)/g);
  return [...locals, ...namesIn(code, /\bfunction ?\w*\(([\w, ]*)\)/g)];
}

function namesIn(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].flatMap(([, names = ""]) => names.split(", "));
}

/** Returns the names that code reads. A name before `=` is assigned to, or the key of a table. */
function usedNames(code: string): Set<string> {
  return new Set(code.match(/(?<![.:\w])[A-Za-z_]\w*\b(?!\s*=[^=])/g));
}

/** Removes comments, and empties strings. */
function withoutTexts(source: string): string {
  const texts = /--.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g;
  return source.replaceAll(texts, (text) => (text.startsWith("--") ? "" : "''"));
}
