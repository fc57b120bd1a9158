import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { any_scope, scope } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../../packages/connect-gateway/src/call/option.ts";
import { scopes } from "../../src/access/scopes.ts";
import { methods } from "../support/operations.ts";

test("docs/caller/authentication.md lists the methods of each scope, as the contract has them", async () => {
  const path = join(import.meta.dirname, "../../docs/caller/authentication.md");
  const page = readFileSync(path, "utf8");
  const head = "| Scope | Methods |\n| --- | --- |\n";
  expect(page).toContain(head);
  const rows = [...scopes, "any"].flatMap((name) => {
    const isAny = name === "any";
    const found = methods.filter((each) =>
      isAny ? optionOf(each, any_scope) : optionOf(each, scope) === name,
    );
    const own = found.filter(({ parent }) => parent !== AdminService).map((each) => each.name);
    const names = [...new Set(own)].map((each) => `\`${each}\``);
    if (found.length > own.length) names.push("all methods of `AdminService`");
    return found.length === 0 ? [] : `| ${isAny ? name : `\`${name}\``} | ${names.join(", ")} |\n`;
  });
  const [before = "", after = ""] = page.split(head);
  const table = head + rows.join("");
  await expect(before + after.replace(/^(?:\|.*\n)*/, table)).toMatchFileSnapshot(path);
});

test("every method of AdminService needs the scope admin, as the page says", () => {
  const needed = AdminService.methods.map((method) => optionOf(method, scope));
  expect(new Set(needed)).toEqual(new Set(["admin"]));
});
