import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { codeName } from "../../packages/connect-gateway/src/call/rpc-names.ts";
import {
  type ErrorKind,
  httpTerms,
} from "../../packages/connect-gateway/src/http/generic-errors.ts";
import { catalogue } from "../../src/contract/catalogue.ts";
import { errorTerms } from "../../src/contract/errors.ts";

const root = join(import.meta.dirname, "../..");
const file = "docs/contributor/architecture.md";
const page = readFileSync(join(root, file), "utf8");
const advice = `correct the refusals in ${file}`;
const kinds = new Map<string, ErrorKind>(Object.entries(catalogue));
const [, section = ""] = /^## Refusals\n(.*?)^## /ms.exec(page) ?? [];

/** The rows of the table of refusals. A row without a step continues the step above. */
const rows = section
  .matchAll(/^\| (?!Step|---)(\w*) ?\| (.*) \| (.*) \|$/gm)
  .map(([, step = "", refused = "", places = ""]) => ({
    step,
    refused,
    reasons: quoted(refused),
    files: quoted(places),
  }))
  .toArray();
for (const [at, row] of rows.entries()) row.step ||= rows[at - 1]?.step ?? "";

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, each = ""]) => each);
}

function termsOf(reason: string): { status: number; code: string } {
  const kind = kinds.get(reason);
  if (!kind) throw new Error(`${reason} is not in the catalogue`);
  const { code } = kind;
  const { status } = httpTerms(kind);
  return { status, code: code === undefined ? "" : ` ${codeName("grpc", code)}` };
}

/** The reasons of the errors that a file of the server makes: by name, or by the code alone. */
function reasonsIn(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const named = text
    .matchAll(/(?:\(\s*|[^?]\? )"([A-Z_]+)"(?: : "([A-Z_]+)")?/g)
    .flatMap(([, ...reasons]) => reasons);
  const coded = text.matchAll(/callError\([^;]*?Code\.(\w+)/g).map(([, name = ""]) => {
    const code = Code[name as keyof typeof Code];
    const reason = errorTerms.reasonOf(new ConnectError("", code));
    return kinds.get(reason)?.code === code ? reason : "";
  });
  return [...new Set([...named, ...coded])].filter((reason) => kinds.has(reason));
}

test("the table has the places where the server makes errors, and no others", () => {
  const sources = globSync(
    ["packages/connect-gateway/src", "src/{access,admission,app,contract,services,stores}"].map(
      (folder) => `${folder}/**/*.ts`,
    ),
    // Calls within the command line have no server.
    { cwd: root, exclude: ["**/local-transport.ts"] },
  );
  const made = sources.flatMap((file) => reasonsIn(file).map((reason) => `${reason} in ${file}`));
  const shown = rows.flatMap(({ reasons, files }) =>
    reasons.flatMap((reason) => {
      const found = files.filter((file) => reasonsIn(file).includes(reason));
      return found.length > 0
        ? found.map((file) => `${reason} in ${file}`)
        : [`${reason} in no file`];
    }),
  );
  expect(made.length).toBeGreaterThan(60);
  expect([...new Set(shown)].sort(), advice).toEqual(made.sort());
});

test("the table has every reason of the catalogue, with its status and code", () => {
  expect(new Set(rows.flatMap(({ reasons }) => reasons)), advice).toEqual(new Set(kinds.keys()));
  for (const { reasons, refused } of rows) {
    const groups = Map.groupBy(reasons, (reason) => {
      const { status, code } = termsOf(reason);
      return `${status}${code}`;
    });
    const cell = [...groups].map(
      ([terms, each]) => `${terms}: ${each.map((reason) => `\`${reason}\``).join(", ")}`,
    );
    expect(refused, advice).toBe(cell.join("; "));
  }
});

test("the picture has the statuses of each step", () => {
  const drawn = [...section.matchAll(/^ *(\w+) ─+▶ ([\d ]+)$/gm)].map(([, step, statuses]) => [
    step,
    statuses,
  ]);
  const statuses = [...Map.groupBy(rows, ({ step }) => step)].map(([step, all]) => {
    const each = all.flatMap(({ reasons }) => reasons.map((reason) => termsOf(reason).status));
    return [step, [...new Set(each)].sort().join(" ")];
  });
  expect(drawn, advice).toEqual(statuses);
});
