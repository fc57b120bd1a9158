import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Part of npm run generate. Writes test/rest/gen without comments, which only say again what the proto files say. */
const here = import.meta.dirname;
execFileSync("buf", ["generate", "--template", join(here, "buf.gen.yaml")], { stdio: "inherit" });
for (const path of globSync(join(here, "gen/**/*_pb.ts"))) {
  const code = readFileSync(path, "utf8");
  writeFileSync(path, code.replace(/\n *\/\*\*\n.*?\*\//gs, "").replace(/\n{2,}/g, "\n"));
}
