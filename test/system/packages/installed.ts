import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCommand } from "../harness/child.ts";
import type { Check } from "./check.ts";
import { type Folders, type Package, packages, type Step } from "./packages.ts";
import { exampleOf } from "./readme.ts";

const root = join(import.meta.dirname, "../../..");

/** A client package that was built and installed into an empty project. */
export interface Installed {
  readonly language: string;
  readonly own: Package;
  readonly folders: Folders;
  /** What the program of the README prints. */
  readonly readmeOutput: string;
  /** How the commands failed. Undefined if they succeeded. */
  readonly fault: string | undefined;
  remove(): Promise<void>;
}

/**
 * Builds the client of a language and installs it into an empty project, with the programs that use it.
 *
 * @param more more files of the empty project, by path
 */
export async function install(
  language: string,
  more: Readonly<Record<string, string>>,
): Promise<Installed> {
  const own = packages[language];
  if (!own) throw new Error(`unknown language ${language}: choose from ${Object.keys(packages)}`);
  const scratch = await mkdtemp(join(tmpdir(), "inventory-packages-"));
  const folders = { root, project: join(scratch, "project"), built: join(scratch, "built") };
  await mkdir(folders.project);
  await mkdir(folders.built);
  const example = exampleOf(await readFile(join(root, "clients", language, "README.md"), "utf8"));
  const texts = {
    [own.readmeProgram]: example.program,
    ...Object.fromEntries([own.readmeExcerpts(example.excerpts)]),
    ...more,
  };
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folders.project, path)), { recursive: true });
    await writeFile(join(folders.project, path), text);
  }
  for (const [target, source] of Object.entries({ ...own.files, ...own.rules.files })) {
    await mkdir(dirname(join(folders.project, target)), { recursive: true });
    await copyFile(
      join(root, "test/system/packages", language, source),
      join(folders.project, target),
    );
  }
  const offline = await runSteps(own.install(folders));
  // The first time on a machine, the caches lack the dependencies.
  const fault =
    offline && ((await runSteps(own.warmUp(folders))) ?? (await runSteps(own.install(folders))));
  const remove = () => rm(scratch, { recursive: true, force: true });
  return { language, own, folders, readmeOutput: example.output, fault, remove };
}

export async function retryRules({ own, folders }: Installed): Promise<Check> {
  const environment = { CASES: join(folders.root, "clients/retry-cases.tsv") };
  const { code, output } = await runStep(own.rules.run(folders), folders.project, environment);
  return ["calls are repeated by the rules of all clients", code === 0, output];
}

/** Runs a command. @param folder where it runs unless the step says something else */
export function runStep(
  { command, cwd, environment }: Step,
  folder: string,
  more: Readonly<Record<string, string>> = {},
) {
  return runCommand(command, {
    cwd: cwd ?? folder,
    env: { ...process.env, ...environment, ...more },
  });
}

/** Runs commands until one fails. Returns its output. */
async function runSteps(steps: readonly Step[]): Promise<string | undefined> {
  for (const step of steps) {
    const { code, output } = await runStep(step, root);
    if (code !== 0) return `\`${step.command.join(" ")}\` failed:\n${output}`;
  }
  return undefined;
}
