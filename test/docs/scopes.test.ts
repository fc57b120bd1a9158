import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { any_scope, scope } from "../../gen/rules/v1/rules_pb.ts";
import { scopes } from "../../src/access/scopes.ts";
import { optionOf } from "../../src/call/option.ts";
import { methods } from "./reference.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/caller/authentication.md"), "utf8");

const scopeOf = (method: DescMethod) =>
  optionOf(method, any_scope) ? "any" : optionOf(method, scope);

it("docs/caller/authentication.md lists the methods of each scope, as the contract has them", () => {
  const [, table = ""] = page.split("| Scope | Methods |\n| --- | --- |\n");
  const rows = [...table.matchAll(/^\| `?([a-z:]+)`? \| (.*) \|$/gm)].map(
    ([, name = "", cell = ""]) => [name, [...cell.matchAll(/`(\w+)`/g)].map(([, text]) => text)],
  );
  const expected = [...scopes, "any"].flatMap((name) => {
    const found = methods.filter((method) => scopeOf(method) === name);
    const isAdmin = found.length > 0 && found.every(({ parent }) => parent === AdminService);
    const names = isAdmin ? ["AdminService"] : found.map((method) => method.name);
    return found.length === 0 ? [] : [[name, names]];
  });
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected));
  expect(methods.filter(({ parent }) => parent === AdminService).map(scopeOf)).toEqual(
    AdminService.methods.map(() => "admin"),
  );
});
