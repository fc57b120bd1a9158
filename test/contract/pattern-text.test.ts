import { type DescFile, getOption, hasOption } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { expect, test } from "vitest";
import { file_admin_v1_admin } from "../../gen/admin/v1/admin_pb.ts";
import { file_catalog_v1_catalog } from "../../gen/catalog/v1/catalog_pb.ts";
import { file_inventory_v1_inventory } from "../../gen/inventory/v1/inventory_pb.ts";
import { bounds } from "../../gen/rules/v1/rules_pb.ts";
import { file_store_v1_store } from "../../gen/store/v1/store_pb.ts";
import { file_usage_v1_usage } from "../../gen/usage/v1/usage_pb.ts";
import { patternText } from "../../src/contract/pattern-text.ts";

const files = [
  file_admin_v1_admin,
  file_catalog_v1_catalog,
  file_inventory_v1_inventory,
  file_store_v1_store,
  file_usage_v1_usage,
];

function patternsIn(file: DescFile): string[] {
  return [...nestedTypes(file)]
    .flatMap((type) => (type.kind === "message" ? type.fields : []))
    .filter((field) => hasOption(field, bounds))
    .flatMap((field) => getOption(field, bounds).pattern ?? []);
}

test("every pattern of the contract has a text that says what to send", () => {
  const patterns = new Set(files.flatMap(patternsIn));
  expect(patterns.size).toBeGreaterThan(5);
  for (const pattern of patterns)
    expect([pattern, patternText(pattern)]).toContainEqual(
      expect.stringMatching(/^must (?:be|have) [^[\]{}()*?]+$/),
    );
});

test("the words of a pattern are listed", () => {
  expect(patternText("store:read|admin")).toBe("must be one of store:read, admin");
});
