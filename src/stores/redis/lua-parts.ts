import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A local of a Lua file outside functions, with the statements that set it up. */
export interface LuaPart {
  /** Its code, without the comment before it. */
  readonly code: string;
  /** What a script does when the memory of Redis is full; undefined for a part that is not a script. */
  readonly class?: string;
  /** The other parts that it uses. */
  readonly uses: readonly string[];
}

/** Matches a part with the comment before it. */
const partPattern =
  /((?:^--.*\n)*)^(local (?:function )?(\w+(?:, \w+)*)\b.*\n(?:(?!local |--).*\n?)*)/gm;

const localPattern = /\b(?:local|for) (?:function )?(\w+(?:, \w+)*)|\bfunction ?\w*\(([\w, ]*)\)/g;

/** Returns the parts of Lua files by their unique names. The comment of a script ends with `-- class: <class>`. */
export function luaParts(sources: readonly string[]): ReadonlyMap<string, LuaPart> {
  const found = sources.flatMap((source) => [...source.matchAll(partPattern)]);
  const names = found.flatMap(([, , , list = ""]) => list.split(", "));
  const known = new Set(names);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two parts of the Lua files have the name ${twice}`);
  return new Map(
    found.flatMap(([, comment = "", code = "", list = ""]) => {
      const own = list.split(", ");
      const uses = [...usedNames(code)].filter((name) => known.has(name) && !own.includes(name));
      const part = { code, uses, class: /^-- class: (.+)\n$/m.exec(comment)?.[1] };
      return own.map((name) => [name, part] as const);
    }),
  );
}

/** Returns the names that code reads and does not define itself. A name before `=` is assigned to, or the key of a table. */
function usedNames(code: string): Set<string> {
  const texts = /--.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g;
  const bare = code.replaceAll(texts, (text) => (text.startsWith("--") ? "" : "''"));
  const used = new Set(bare.match(/(?<![.:\w])[A-Za-z_]\w*\b(?!\s*=[^=])/g));
  for (const [, locals = "", parameters = ""] of bare.matchAll(localPattern)) {
    for (const name of `${locals}, ${parameters}`.split(", ")) used.delete(name);
  }
  return used;
}

/** Returns the source of a script: the parts that it uses, in order, and a call of it. @throws Error for an unknown name */
export function linkScript(parts: ReadonlyMap<string, LuaPart>, name: string): string {
  const linked = new Set<string>();
  const add = (own: string) => {
    const part = parts.get(own);
    if (!part) throw new Error(`there is no Lua function ${own}`);
    if (linked.has(part.code)) return;
    for (const each of part.uses) add(each);
    linked.add(part.code);
  };
  add(name);
  return `${[...linked].join("")}return ${name}()\n`;
}

const folder = import.meta.dirname;

/** The Lua files of this folder: their names and sources. */
export const luaFiles: ReadonlyMap<string, string> = new Map(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".lua"))
    .map((file) => [file, readFileSync(join(folder, file), "utf8")]),
);
