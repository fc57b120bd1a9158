/**
 * Lints every script as it is sent to Redis by luacheck, and fails for Lua that no script uses: `.ci/run static`.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { luaFiles, luaParts } from "../../src/stores/redis/lua-parts.ts";
import { scriptSources } from "../../src/stores/redis/scripts.ts";
import { newDirectory } from "../system/harness/directory.ts";

const sources = scriptSources();
const parts = luaParts([...luaFiles.values()]);
const all = [...sources.values()].join("");
const unused = [...parts].filter(([, { code }]) => !all.includes(code)).map(([name]) => name);
if (unused.length > 0) throw new Error(`no script uses ${unused.join(", ")}`);

const folder = newDirectory();
for (const [name, source] of sources) {
  // The first line can be a shebang with flags, which only Redis knows.
  writeFileSync(join(folder, `${name}.lua`), source.replace(/^#!.*/, ""));
}
const defined = ["redis", "struct", "bit", "KEYS", "ARGV"];
const options = ["--quiet", "--no-color", "--no-max-line-length", "--std", "lua51"];
execFileSync("luacheck", [...options, "--read-globals", ...defined, "--", folder], {
  stdio: "inherit",
});
