import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { createProgram } from "../../src/cli/program.ts";
import { runHere } from "../cli/command-line.ts";

const intro = `# Command line

\`\`\`console
$ npm run --silent inventory -- items export --server http://127.0.0.1:8080 | head -2
petId,quantity,status
1,12,available
\`\`\`

\`inventory\` runs and administers the service. In a checkout, \`npm run --silent inventory --\` runs it.

\`npm run docs\` makes this page from the program.

## Redis or a server

Most commands use the Redis of the service directly, or call a running service. They use the first of these that is set:

1. the option \`--server\`,
2. the variable \`INVENTORY_SERVER\`,
3. the Redis in \`REDIS_URL\`,
4. the server of the last \`inventory login\`.

On Redis, the commands need no API key, and no request limit applies. The audit trail records the user and the host. On a
server, a command needs an API key, mostly with the scope \`admin\`. Its requests count, and the audit trail records the key.
With \`--server\` or \`INVENTORY_SERVER\`, the key is the one in \`INVENTORY_API_KEY\`, or else the one that \`inventory login\` has
saved for that server. The server of the last login gets only the key of that login. No command accepts a key as an
argument, because other users of the machine can read command lines.

A server with TLS has an \`https:\` URL. If your own authority has signed its certificate, set \`INVENTORY_CA_FILE\` to a PEM
file with that authority, or name the file once with \`inventory login --ca-file\`.

Redis or a server that refuses connections is reported within a second, and one that is silent within two. The command waits
up to 5 seconds for Redis.

## Output

| Option | Result |
| --- | --- |
| \`--output table\` | human-readable text, the default |
| \`--output json\`, \`--json\` | one JSON document |
| \`--output ndjson\` | one JSON document on each line |
| \`--output csv\` | a header and rows; control characters are written as code points such as \`\\u{1b}\`, and an apostrophe precedes a text that a spreadsheet would run as a formula |

\`items import\` reads what \`items list\` prints as JSON, NDJSON or CSV.

A table is as wide as the terminal. Elsewhere it has 80 columns, or those of the variable \`COLUMNS\`. Names and notes that
do not fit end with \`…\`, and less important columns are left out. CSV and JSON have everything.

With JSON or NDJSON, errors are JSON as well: \`{"code":"not_found","message":"…"}\`, and from a server with \`reason\` and
\`requestId\`. Results go to standard output, and errors and progress to standard error. Text has colours only on a terminal,
and not if \`NO_COLOR\` is set.

## Exit codes

| Code | Meaning |
| --- | --- |
`;

const environment = {
  env: {},
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  showsProgress: false,
};
const commands = leavesOf(createProgram(environment, false), []);

/** Returns a command and all below it. */
function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

/** Returns the words of each command. */
function leavesOf(command: Command, words: readonly string[]): (readonly string[])[] {
  const children = command.commands;
  if (children.length === 0) return [words];
  return children.flatMap((child) => leavesOf(child, [...words, child.name()]));
}

describe("every command", () => {
  it.each(commands.map((words) => [words.join(" ")]))("%s has an example", async (words) => {
    const { code, stdout } = await runHere([...words.split(" "), "--help"]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`\nExamples?:\n(.*\n)*  \\$ .*inventory ${words}\\b`)),
    ]);
  });
});

describe("the grammar", () => {
  const all = allOf(createProgram(environment, false));
  const argumentsOf = all.flatMap((each) => each.registeredArguments.map((one) => one.name()));
  const longs = (command: Command) => command.options.map(({ long }) => long);

  it("has ids as arguments, each kind with one name", () => {
    const ids = argumentsOf.filter((name) => /id|account|key|pet|order|hold/.test(name));
    const kinds = ["account-id", "key-id", "pet-id", "order-id", "hold-id"];
    expect(new Set(ids)).toEqual(new Set(kinds));
    for (const command of all) {
      expect(longs(command)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^--(?:account|key|pet|order|hold)\b/)]),
      );
    }
  });

  it("has --limit on every list", () => {
    const lists = all.filter(
      (each) => ["list", "history", "holds"].includes(each.name()) && each.registeredArguments,
    );
    expect(lists.length).toBeGreaterThan(8);
    for (const list of lists.filter((each) => each.commands.length === 0)) {
      expect([list.name(), ...longs(list)]).toContain("--limit");
    }
  });

  it("has one verb to delete, and one to show", () => {
    for (const command of all) {
      expect(["remove", "get"]).not.toContain(command.name());
      const alias = { delete: ["remove"], show: ["get"] }[command.name()] ?? [];
      if (command.parent?.name() !== "config") expect(command.aliases()).toEqual(alias);
    }
  });
});

describe("the help of every command", () => {
  /** Returns the lines of a paragraph that end although the next word would fit. */
  function shortLines(paragraph: string): string[] {
    const lines = paragraph.split("\n");
    return lines.filter((line, at) => {
      const next = lines[at + 1]?.split(" ")[0];
      return next !== undefined && `${line} ${next}`.length < 80;
    });
  }

  it.each([60, 80, 132])("fits into %i columns", async (columns) => {
    for (const words of commands) {
      const { stdout } = await runHere([...words, "--help"], {
        variables: { COLUMNS: `${columns}` },
      });
      const tooLong = stdout
        .split("\n")
        .filter((line) => line.length > columns && !line.startsWith("Usage:"));
      expect(tooLong.filter((line) => /\S+ +\S/.test(line.trim()))).toEqual([]);
    }
  });

  it.each(commands.map((words) => [words.join(" ")]))(
    "%s wraps only at the width of the terminal",
    async (words) => {
      const { stdout } = await runHere([...words.split(" "), "--help"]);
      const paragraphs = stdout.split("\n\n").slice(1);
      const end = paragraphs.findIndex((text) =>
        /^(?:Arguments|(?:Common o|O)ptions):\n/.test(text),
      );
      expect(end).toBeGreaterThan(0);
      expect(paragraphs.slice(0, end).flatMap(shortLines)).toEqual([]);
    },
  );
});

it("docs/operator/cli.md has the help of every command and every exit code", async () => {
  const codes = exitCodes.map(({ exitCode, meaning }) => `| ${exitCode} | ${meaning} |\n`).join("");
  const sections = await Promise.all(
    commands.map(async (words) => {
      const { stdout } = await runHere([...words, "--help"]);
      const own = stdout.trim().replace(/\nCommon options:\n(?: {2}.*\n)+/, "");
      return `\n### inventory ${words.join(" ")}\n\n\`\`\`text\n${own}\n\`\`\`\n`;
    }),
  );
  await expect(
    `${intro}${codes}\n## Commands\n\nEach command has \`--help\` and \`--json\`. Most have \`--output\` and \`--server\`, too.\n${sections.join("")}`,
  ).toMatchFileSnapshot("../../docs/operator/cli.md");
});
