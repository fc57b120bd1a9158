import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { parseAllDocuments } from "yaml";
import { settingGroups } from "../../src/config/settings.ts";
import { methods } from "../support/operations.ts";
import { trackedFiles } from "../support/tracked-files.ts";
import { program } from "./reference.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const textOf = (...patterns: string[]) =>
  trackedFiles(...patterns)
    .map(read)
    .join("\n");

/** A simple command: the variables that it sets, and its words without quotes. */
interface SimpleCommand {
  readonly variables: readonly string[];
  readonly words: readonly string[];
}

/** Splits a script into its simple commands, well enough for the examples of the docs. */
export function commandsIn(script: string): SimpleCommand[] {
  const token = /((?:'[^']*'|"[^"]*"|\\.|[^\s'"|&;()#\\]|(?<=\S)#)+)|#.*|(\n|&&|\|\|?|[;()])/g;
  const commands: { variables: string[]; words: string[] }[] = [];
  let current: { variables: string[]; words: string[] } | undefined;
  for (const [, word, separator] of script.replaceAll(/\\\n/g, " ").matchAll(token)) {
    if (separator !== undefined) current = undefined;
    if (word === undefined) continue;
    if (!current) {
      current = { variables: [], words: [] };
      commands.push(current);
    }
    const [, variable] = /^([A-Z][A-Z0-9_]*)=/.exec(word) ?? [];
    if (variable !== undefined && current.words.every((each) => isPrefix(each))) {
      current.variables.push(variable);
    } else current.words.push(word.replaceAll(/["']/g, ""));
  }
  return commands;
}

const isPrefix = (word: string) => ["sudo", "env", "export"].includes(word);

const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
/** The commands of each task of `npm run task`. */
const tasks = Object.fromEntries(
  [...read(".ci/task").matchAll(/^([a-z-]+)\(\) \{ : .*\n([\s\S]*?)^\}$/gm)].map(
    ([, name = "", commands = ""]) => [name, commands],
  ),
);
const settings = new Set(Object.values(settingGroups).flatMap((group) => Object.keys(group)));
const isSetting = (name: string) =>
  settings.has(name.replace(/_FILE$/, "")) || settings.has(name) || name === "CONFIG_FILE";
const steps = [[], ["nightly"]].flatMap((args) =>
  execFileSync("bash", [".ci/run", "--list", ...args], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n"),
);
const manifests = trackedFiles("deploy/kubernetes/*.yaml", "deploy/kubernetes/**/*.yaml");
const resources = new Set(
  manifests
    .flatMap((path) => parseAllDocuments(read(path)).map((each) => each.toJS()))
    .filter((each) => each?.metadata?.name)
    .map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`),
);
const deployed = textOf("deploy", "compose.yaml", "Dockerfile");
const composeServices = Object.keys(parseAllDocuments(read("compose.yaml"))[0]?.toJS().services);
const methodPaths = new Set(methods.map(({ parent, name }) => `${parent.typeName}/${name}`));
const httpPaths = Object.keys(JSON.parse(read("gen/openapi.json")).paths).map(
  (path) => new RegExp(`^/v1${path.replace(/^\/v1/, "").replaceAll(/\{\w+\}/g, "[^/:]+")}$`),
);
const folders = [...new Set(trackedFiles().map((path) => path.split("/")[0] ?? ""))];

function faultsOfCli(args: readonly string[]): string[] {
  let command: Command = program;
  let rest = [...args];
  for (;;) {
    const [name = ""] = rest;
    const next = command.commands.find(
      (each) => each.name() === name || each.aliases().includes(name),
    );
    if (!next) break;
    command = next;
    rest = rest.slice(1);
  }
  if (command.commands.length > 0) {
    return rest[0] === "--version" ? [] : [`no command: inventory ${args.join(" ")}`];
  }
  const faults: string[] = [];
  let count = 0;
  while (rest.length > 0) {
    const [word = ""] = rest.splice(0, 1);
    if (/^[\d>]*>/.test(word)) rest.splice(0, /^[\d>]*>+$/.test(word) ? 1 : 0);
    else if (/^--?[a-z]/.test(word)) {
      const [name] = word.split("=");
      const option = command.options.find(({ long, short }) => name === long || name === short);
      if (!option) faults.push(`no option: ${name} of inventory ${args.join(" ")}`);
      else if (option.required && !word.includes("=")) rest.splice(0, 1);
    } else count++;
  }
  const expected = command.registeredArguments;
  if (count < expected.filter((each) => each.required).length) {
    faults.push(`an argument is missing: inventory ${args.join(" ")}`);
  }
  if (count > expected.length) faults.push(`too many arguments: inventory ${args.join(" ")}`);
  return faults;
}

/** Returns what a command `npm run` or `npm start` gets wrong. */
function faultsOfNpm([verb = "", name = "", ...args]: readonly string[]): string[] {
  if (["start", "test"].includes(verb)) return scripts[verb] ? [] : [`no npm script: ${verb}`];
  if (verb !== "run") return [];
  if (name === "task" && args[0] !== undefined && !tasks[args[0]]) return [`no task: ${args[0]}`];
  const script = name === "task" ? tasks[args[0] ?? ""] : scripts[name];
  if (script === undefined) return name === "task" ? [] : [`no npm script: ${name}`];
  const [, file] = /(?:exec )?node (\S+\.ts)(?: "\$@"\s*)?$/.exec(script) ?? [];
  if (file === undefined) return [];
  const source = globSync(`${dirname(file)}/*.ts`, { cwd: root })
    .map(read)
    .join("\n");
  return args
    .filter((arg) => /^--[a-z]/.test(arg))
    .map((arg) => arg.slice(2).replace(/=.*/, ""))
    .filter((option) => !new RegExp(`(?<![\\w-])"?${option}"?: \\{|--${option}\\b`).test(source))
    .map((option) => `no option: --${option} of npm run ${name}`);
}

/** Returns what a word names that the project does not have. */
function faultsOfWord(word: string): string[] {
  const isPath = /^(?:\.\/)?[\w.@/-]+$/.test(word) && folders.includes(word.split("/")[0] ?? "");
  const created =
    /\/(?:\.venv|plugins|node_modules)(?:\/|$)|^(?:dist|built)\b|\/trusted-proxies\.env$/;
  if (isPath && word.includes("/") && !created.test(word) && !existsSync(join(root, word))) {
    return [`no file: ${word}`];
  }
  const [, method] =
    /(?:^|\/)((?:inventory|store|usage|pets|admin)\.v1\.\w+\/\w+)$/.exec(word) ?? [];
  if (method !== undefined && !methodPaths.has(method)) return [`no method: ${method}`];
  const [, path] = /^https?:\/\/127\.0\.0\.1:8080(\/v1\/[^?]*)/.exec(word) ?? [];
  if (path !== undefined && !httpPaths.some((each) => each.test(path))) return [`no path: ${path}`];
  if (/^(?:deployment|service|configmap)\//.test(word) && !resources.has(word)) {
    return [`no resource: ${word}`];
  }
  const labels = [...word.matchAll(/app\.kubernetes\.io\/(\w+)=(\w+)/g)];
  return labels
    .filter(([, label, value]) => !deployed.includes(`app.kubernetes.io/${label}: ${value}`))
    .map(([label]) => `no label: ${label}`);
}

function faultsOfCommand({ variables, words: all }: SimpleCommand): string[] {
  const words = all.slice(all.findIndex((word) => !isPrefix(word)));
  const [name = "", ...args] = words;
  const faults = words.flatMap(faultsOfWord);
  if (name === "npm") faults.push(...faultsOfNpm(args));
  if (name === ".ci/run") {
    const unknown = args.filter((arg) => ![...steps, "nightly", "--list"].includes(arg));
    faults.push(...unknown.map((step) => `no step of .ci/run: ${step}`));
  }
  const start = words.findIndex((word) => /(?:^|\/)src\/cli\/start\.js$/.test(word));
  if (start !== -1 && name !== "alias") faults.push(...faultsOfCli(words.slice(start + 1)));
  if (name === "inventory") faults.push(...faultsOfCli(args));
  if (name === "systemctl") {
    const unit = args.find((arg, index) => index > 0 && !arg.startsWith("-"));
    // The file of an instance, such as inventory-relay@erp, has no name of an instance.
    const file = unit?.replace(/@.*/, "@");
    const isUnit = unit === undefined || existsSync(join(root, `deploy/systemd/${file}.service`));
    if (!isUnit && unit.startsWith("inventory")) faults.push(`no unit: ${unit}`);
  }
  if (name === "docker" && args[0] === "compose" && !["up", "down"].includes(args[1] ?? "")) {
    if (!args.some((arg) => composeServices.includes(arg))) {
      faults.push(`no service of compose.yaml: ${words.join(" ")}`);
    }
  }
  const runsService = name === "inventory" || (name === "npm" && args[0] === "start");
  for (const variable of variables) {
    const isKnown = runsService
      ? isSetting(variable) || /^INVENTORY_(?:API_KEY|SERVER)$/.test(variable)
      : name !== "npm" || isVariableOfTests(variable);
    if (!isKnown) faults.push(`no setting: ${variable}`);
  }
  return faults;
}

function isVariableOfTests(variable: string): boolean {
  return new RegExp(
    `\\benv\\.${variable}\\b|\\$\\{${variable}:|\\b${variable}\\b.*= process\\.env`,
  ).test(`${textOf("test/*.ts", "packages/*/test/**/*.ts", "bench/*.ts")}\n${read(".ci/task")}`);
}

/**
 * Returns what a shell script gets wrong: its syntax, and the npm scripts, steps, commands, options, settings, files,
 * methods, paths, units and resources of the project that it names.
 */
export function faultsOf(script: string): string[] {
  try {
    execFileSync("bash", ["-n"], { input: script, stdio: ["pipe", "ignore", "pipe"] });
  } catch (error) {
    return [`syntax: ${error}`];
  }
  return commandsIn(script).flatMap(faultsOfCommand);
}
