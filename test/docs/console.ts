import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../system/harness/child.ts";
import { newDirectory } from "../system/harness/directory.ts";

const root = join(import.meta.dirname, "../..");

/** One command of a page, with its output. */
export interface ConsoleStep {
  readonly command: string;
  readonly output: string;
}

/** A page of the docs: text alternating with console sessions. */
interface Page {
  /** The text before each session, and after the last one. */
  readonly texts: readonly string[];
  readonly sessions: readonly (readonly ConsoleStep[])[];
}

/** The line of the command line's page that sets the alias `inventory`. */
const aliasLine = /^\$ (alias inventory=.*)$/m;

/** A page that links to the alias expects that its reader has set it. */
const aliasLink = /\[the alias\s`inventory`\]\([\w./]*cli\.md\)/;

/** Returns the commands that a page asks for before its own. */
function commandsBefore(file: string): string[] {
  if (!aliasLink.test(readFileSync(join(root, file), "utf8"))) return [];
  const [, alias] = aliasLine.exec(readFileSync(join(root, "docs/operator/cli.md"), "utf8")) ?? [];
  if (alias === undefined) throw new Error("docs/operator/cli.md does not set the alias inventory");
  return [alias];
}

const fence = /^```console\n(.*?)^```$/gms;

/** Reads the console sessions (```console, `$ command`, its output) of a Markdown file. */
function readPage(file: string): Page {
  const markdown = readFileSync(join(root, file), "utf8");
  const texts = markdown.split(fence).filter((_, index) => index % 2 === 0);
  const sessions = [...markdown.matchAll(fence)].map(([, session = ""]) => readSession(session));
  return { texts, sessions };
}

function readSession(session: string): ConsoleStep[] {
  return session.split(/^\$ /m).flatMap((step) => {
    const [, command, output] = /^((?:[^\n]*\\\n)*[^\n]*\n)(.*)$/s.exec(step) ?? [];
    return command ? [{ command: command.trimEnd(), output: output ?? "" }] : [];
  });
}

function writePage(file: string, { texts, sessions }: Page): void {
  const blocks = sessions.map((session) => {
    const steps = session.map(({ command, output }) => `$ ${command}\n${output}`);
    return `\`\`\`console\n${steps.join("")}\`\`\``;
  });
  const parts = texts.flatMap((text, index) => [text, blocks[index] ?? ""]);
  writeFileSync(join(root, file), parts.join(""));
}

/** How long a command may take, in milliseconds: less than a test may take, so that the command is named. */
const commandTimeoutMs = 45_000;

const auditLines = /^\{"level":30,.*"msg":"audit entry"\}\n/gm;

/** Runs commands in one shell, one after the other, and returns their outputs. */
async function runAll(
  commands: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string[]> {
  const shell = startChild(["bash", "--norc"], {
    cwd: root,
    env: environment,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const mark = `---${process.pid}-done---`;
  const type = (text: string) => void shell.child.stdin?.write(text);
  // A command does not write entries of the audit trail to a terminal.
  const printed = () =>
    shell.stdout.replaceAll("\r", "").replace(auditLines, "").split(`\n${mark}\n`);
  type("exec 2>&1\nshopt -s expand_aliases\n");
  try {
    for (const [index, command] of commands.entries()) {
      type(`{\n${command}\n} </dev/null\necho; echo '${mark}'\n`);
      const hasEnded = () => printed().length > index + 1;
      await shell.until(`this command has ended: ${command}`, hasEnded, commandTimeoutMs);
      const output = printed()[index] ?? "";
      if (!/(?:^|\n)$/.test(output)) {
        throw new Error(
          `A prompt would stick to the output of this command: ${command}\n${output}`,
        );
      }
    }
  } finally {
    // Also kills the background processes of the shell.
    await shell.end();
  }
  return printed().slice(0, -1);
}

/** Pairs of texts: as written in the page, and as used on this machine. */
export type Substitution = readonly (readonly [inPage: string, here: string])[];

/** Replaces texts in one pass, so that no text that was put in is replaced again. */
function replaceEach(pairs: Substitution): (text: string) => string {
  const replacements = new Map(pairs);
  const found = new RegExp(pairs.map(([from]) => RegExp.escape(from)).join("|"), "g");
  return (text) => text.replace(found, (from) => replacements.get(from) ?? from);
}

/**
 * Runs the console sessions of a page in a shell, from the project's root. Files in /tmp are in a folder of this run.
 * The alias `inventory` is set if the page links to it.
 *
 * With DOCS=write in the environment, it writes the outputs into the page.
 *
 * @param substitution texts that differ between the page and this machine, such as addresses
 * @returns the steps of the page, and the same steps with the outputs of this run, in the page's terms
 */
export async function typePage(
  file: string,
  environment: NodeJS.ProcessEnv,
  substitution: Substitution,
): Promise<{ expected: ConsoleStep[]; actual: ConsoleStep[] }> {
  const page = readPage(file);
  const expected = page.sessions.flat();
  const folder = newDirectory();
  const pairs: Substitution = [["/tmp/", `${folder}/`], ...substitution];
  const here = replaceEach(pairs);
  const asInPage = replaceEach(pairs.map(([inPage, local]) => [local, inPage] as const));
  const before = commandsBefore(file);
  const printed = await runAll(
    [...before, ...expected.map(({ command }) => here(command))],
    environment,
  );
  const outputs = printed.slice(before.length);
  const actual = expected.map(({ command }, index) => ({
    command,
    output: asInPage(outputs[index] ?? ""),
  }));
  if (process.env.DOCS === "write") {
    const rest = [...actual];
    writePage(file, {
      texts: page.texts,
      sessions: page.sessions.map((session) => rest.splice(0, session.length)),
    });
  }
  return { expected, actual };
}

/** Returns each step as a console shows it, without the parts that differ between runs. */
export function transcript(steps: readonly ConsoleStep[]): string[] {
  return steps.map(({ command, output }) => `$ ${command}\n${withoutChance(output)}`);
}

/**
 * Replaces the parts of a text that differ between runs: keys, ids, times, seconds to wait, versions. Versions are
 * numbered by their order in the text, so that equal ones stay equal.
 */
function withoutChance(text: string): string {
  const versions = new Map<string, number>();
  const numbered = (version: string) =>
    `<version ${versions.getOrInsertComputed(version, () => versions.size + 1)}>`;
  return text
    .replace(/\b1\d{15}\b/g, numbered)
    .replace(/\bdmVyc2lvbi[\w-]+/g, "<page token>")
    .replace(/\b(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g, "<request id>")
    .replace(/"(accountId|keyId)":"[0-9a-z]*"/g, '"$1":"<id>"')
    .replace(/inv_[0-9a-z]{45}/g, "<key>")
    .replace(/\b[0-9a-hjkmnp-tv-z]{20}\b/g, "<key id>")
    .replace(/\b(?=[0-9a-z]*[a-z])(?=[a-z]*[0-9])[0-9a-hjkmnp-tv-z]{12}\b/g, "<account id>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/^(date|x-ratelimit-reset): .*$/gim, "$1: <time>")
    .replace(/"drainMs":\d+/g, '"drainMs":<ms>')
    .replace(/;t=\d+/g, ";t=<seconds>");
}
