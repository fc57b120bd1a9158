import { globSync, readFileSync } from "node:fs";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { runHere } from "../cli/command-line.ts";
import { leaves, program } from "./reference.ts";

const intro = `# Command line

\`\`\`console
$ alias inventory='npm run --silent inventory --'
$ inventory items export --server http://127.0.0.1:8080 | head -2
petId,name,sku,quantity,status
1,Guinea pig,SM-101,12,available
\`\`\`

The command \`inventory\` runs and administers the service. In a clone of the project, the alias runs this command. The npm
package contains the command.

`;

const rules = `
## Redis or a server

Most commands use the Redis of the service directly, or call a running service. They use the first of these that is set:

1. the option \`--server\`,
2. the variable \`INVENTORY_SERVER\`,
3. \`REDIS_URL\` or \`REDIS_URL_FILE\`, or a \`CONFIG_FILE\` that sets one of them.

| | With Redis | With a server |
| --- | --- | --- |
| API key | none | needed, in most cases with the scope \`admin\` |
| Request limits | do not apply | apply |
| The audit trail records | the user and the host | the key |
| The log line of each entry is on | standard error, unless that is a terminal | the log of the server |

The key for a server is in \`INVENTORY_API_KEY\`, or in the file whose path is in \`INVENTORY_API_KEY_FILE\`. No command accepts a
key as an argument, because other users of the machine can read command lines.

If your own authority has signed the certificate of an \`https:\` server, set \`INVENTORY_CA_FILE\` to a PEM file with that
authority.

A command waits up to 2 s for a connection to a server, and up to 5 s for Redis.

## Output

\`-o\` is short for \`--output\`:

| Option | Result |
| --- | --- |
| \`--output table\` | human-readable text, the default |
| \`--output json\` | one JSON document |
| \`--output ndjson\` | one JSON document on each line |
| \`--output csv\` | a header and rows |

\`items import\` reads what \`items list\` prints as JSON, NDJSON or CSV, with the names and SKUs of pets. A command that has a pet id
takes \`--sku CODE\` instead.

A table is as wide as the terminal, shortens names and notes with \`…\`, and leaves out less important columns. CSV and JSON
have everything. CSV has control characters as code points such as \`\\u{1b}\`, and an apostrophe before a text that a
spreadsheet would run as a formula. \`items import\` undoes both.

Results go to standard output, errors and progress to standard error. With JSON or NDJSON, errors are JSON as well:
\`{"code":"not_found","message":"…"}\`, and from a server with \`reason\` and \`requestId\`. \`NO_COLOR\` turns off colours.

## Exit codes

| Code | Meaning |
| --- | --- |
`;

const commands = leaves.map(({ name }) => name.split(" "));

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

test("every command has a test", () => {
  const files = globSync("test/{cli,backup}/*.ts");
  const tests = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const untested = leaves.map(({ name }) => name).filter((name) => !tests.includes(name));
  expect(untested, "add a test of these to test/cli").toEqual([]);
});

/** Methods that no command calls by their names, and why. Commands do not act for a customer: they place no orders and holds. */
const withoutCommand: Readonly<Record<string, string>> = {
  BatchUpdateInventory: "items count sets many quantities",
  WatchInventory: "items watch reads its events by a session",
  ListPets: "items list has every pet",
  GetPet: "items show has every pet",
};

test("a command calls every method of the stock, the catalogue, usage and administration", () => {
  const files = globSync("src/cli/**/*.ts");
  const sources = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const missing = [InventoryService, CatalogService, UsageService, AdminService]
    .flatMap((service): readonly DescMethod[] => service.methods)
    .filter(({ name, localName }) => !(name in withoutCommand || sources.includes(`.${localName}`)))
    .map(({ name }) => name);
  expect(missing, "add commands that call these to src/cli").toEqual([]);
});

describe("the grammar", () => {
  const all = allOf(program);
  const argumentsOf = all.flatMap((each) => each.registeredArguments.map((one) => one.name()));
  const longs = (command: Command) => command.options.map(({ long }) => long);

  test("has ids as arguments, each kind with one name", () => {
    const ids = argumentsOf.filter((name) => /id|account|key|pet|order|hold/.test(name));
    const kinds = ["account-id", "key-id", "pet-id", "order-id", "hold-id"];
    expect(new Set(ids)).toEqual(new Set(kinds));
    for (const command of all) {
      expect(longs(command)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^--(?:account|key|pet|order|hold)\b/)]),
      );
    }
  });

  test("has --limit on every list", () => {
    const lists = all.filter(
      (each) => ["list", "history", "holds"].includes(each.name()) && each.registeredArguments,
    );
    expect(lists.length).toBeGreaterThan(8);
    for (const list of lists.filter((each) => each.commands.length === 0)) {
      expect([list.name(), ...longs(list)]).toContain("--limit");
    }
  });

  test("has one verb to delete, and one to show", () => {
    for (const command of all) {
      expect(["remove", "get"]).not.toContain(command.name());
      expect(command.aliases()).toEqual([]);
    }
  });
});

describe("the help of every command", () => {
  test.each([60, 80, 132])("fits into %i columns", async (columns) => {
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
});

describe("docs/operator/cli.md", () => {
  const commonBlock = /\nCommon options:\n(.*?\n)(?=\n|$)/s;

  /** Returns the links to all commands, by their first word. */
  function contents(): string {
    const groups = Map.groupBy(commands, ([group = ""]) => group);
    const lines = [...groups].map(([group, those]) => {
      const links = those.map((words) => {
        const name = words.slice(1).join(" ") || group;
        return `[${name}](#inventory-${words.join("-")})`;
      });
      return those[0]?.length === 1 ? `- ${links}` : `- ${group}: ${links.join(", ")}`;
    });
    return `${lines.join("\n")}\n`;
  }

  test("has the help of each command, the common options once, and the exit codes", async () => {
    const codes = exitCodes.map(({ exitCode, meaning }) => `| ${exitCode} | ${meaning} |\n`);
    const helps = await Promise.all(commands.map((words) => runHere([...words, "--help"])));
    const texts = helps.map(({ stdout }) => stdout.replace(/^Usage: /, ""));
    const sections = commands.map((words, at) => {
      const own = texts[at]?.replace(commonBlock, "").trim();
      return `\n### inventory ${words.join(" ")}\n\n\`\`\`text\n${own}\n\`\`\`\n`;
    });
    const common = texts.map((text) => commonBlock.exec(text)?.[1] ?? "");
    const [longest] = common.toSorted((one, other) => other.length - one.length);
    expect(common.every((options) => longest?.includes("--server") && options !== "")).toBe(true);
    const several = `\n## Common options\n\nCommands that use Redis or files alone have no \`--server\`.\n\n\`\`\`text\n${longest}\`\`\`\n`;
    await expect(
      `${intro}${contents()}${rules}${codes.join("")}${several}\n## Commands\n${sections.join("")}`,
    ).toMatchFileSnapshot("../../docs/operator/cli.md");
  });
});
