import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const folder = import.meta.dirname;

/** The source of every Lua file below this folder, by its name without folder and extension. Names are unique. */
export const luaFiles: ReadonlyMap<string, string> = new Map(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".lua"))
    .map((file) => [basename(file, ".lua"), readFileSync(join(folder, file), "utf8")]),
);
