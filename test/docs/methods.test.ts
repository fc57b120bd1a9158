import { readFileSync } from "node:fs";
import type { DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import comments from "../../gen/comments.json" with { type: "json" };
import { stabilityOf, summaryOf } from "../../packaging/generate/openapi/generator/operation.ts";
import { operationIdOf } from "../../packaging/generate/openapi/operation-notes.ts";
import { operations } from "../api-docs/support/document.ts";
import { methods } from "../support/operations.ts";

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");

/** The flag of a method in the contract, as the page names it. */
function flagOf(method: DescMethod): string {
  const word = stabilityOf(method);
  if (method.proto.options?.deprecated) return "deprecated";
  return word ?? "stable";
}

const services = [...new Set(methods.map(({ parent }) => parent))].filter(
  (service) => service !== AdminService,
);

/** Returns the name of a method, with its service if another service has the name, too. */
function shortName({ name, parent }: DescMethod): string {
  const isTaken = services.some(
    (each) => each !== parent && each.methods.some((other) => other.name === name),
  );
  return isTaken ? `${parent.typeName}/${name}` : name;
}

const meanings: Readonly<Record<string, string>> = {
  experimental: "Any minor release may change the request or the response.",
  beta: "The request and the response change only to correct a serious fault.",
  deprecated:
    "From its sunset date, `PETS_SUNSET`, HTTP requests get 410. Each HTTP response has the date. RPC continues.",
  stable: "These methods change only with the version in the package name.",
};

test("docs/operator/upgrading.md has the flag of every method", async () => {
  const page = read("operator/upgrading.md");
  const block = /(<!-- stability -->\n).*?(<!-- end -->)/s;
  expect(page).toMatch(block);
  const rows = Object.entries(meanings).map(([flag, meaning]) => {
    const names = methods
      .filter((method) => flagOf(method) === flag && method.parent !== AdminService)
      .map((method) => `\`${shortName(method)}\``);
    const all = flag === "stable" ? [...names, "all methods of `AdminService`"] : names;
    return `| ${flag} | ${all.join(", ")} | ${meaning} |\n`;
  });
  const table = ["| Flag | Methods | Meaning |\n| --- | --- | --- |\n", ...rows].join("");
  const current = page.replace(block, (_, start: string, end: string) => start + table + end);
  await expect(current).toMatchFileSnapshot("../../docs/operator/upgrading.md");
});

test("every method of AdminService is stable, as the page says", () => {
  const flags = new Set(AdminService.methods.map(flagOf));
  expect(flags, "correct the flags in proto/admin/v1/admin.proto").toEqual(new Set(["stable"]));
});

test("docs/operator/administration.md lists the methods of AdminService, with the first sentence of their comments", async () => {
  const page = read("operator/administration.md");
  const head = "| Method | What it does |\n| --- | --- |\n";
  expect(page).toContain(head);
  const rows = AdminService.methods.map(
    (method) => `| \`${method.name}\` | ${summaryOf(method, comments).summary} |\n`,
  );
  const [before = "", after = ""] = page.split(head);
  const rest = after.replace(/^(?:\|.*\n)*/, "");
  await expect(before + head + rows.join("") + rest).toMatchFileSnapshot(
    "../../docs/operator/administration.md",
  );
});

test("docs/caller/README.md lists every operation, with the first sentence of its comment", async () => {
  const page = read("caller/README.md");
  const head = "| RPC | HTTP | What it does |\n| --- | --- | --- |\n";
  const end = "| [`admin.v1.AdminService`]";
  expect(page).toContain(head);
  expect(page).toContain(end);
  const rows = services.map((service) => {
    const own = service.methods.map((method) => {
      const { name, proto } = method;
      const id = operationIdOf(method);
      const found = operations.find(({ operation }) => operation.operationId === id);
      const note = proto.options?.deprecated ? " (deprecated)" : "";
      const line = found ? `\`${found.method} /v1${found.path}\`` : "";
      return `| \`${name}\`${note} | ${line} | ${summaryOf(method, comments).summary} |\n`;
    });
    return `| **\`${service.typeName}\`** | | |\n${own.join("")}`;
  });
  const [before = ""] = page.split(head);
  const after = page.slice(page.indexOf(end));
  await expect(before + head + rows.join("") + after).toMatchFileSnapshot(
    "../../docs/caller/README.md",
  );
});
