import { expect, test } from "vitest";
import { readList } from "../../src/console/stock/booking/list-file.ts";

const read = (content: string) => readList(new Blob([content]));

test.each([
  ["sku,delta\nSM-101,5\n", { sku: "SM-101", petId: "", units: "5" }],
  ["sku,delta\n'=1,5\n", { sku: "=1", petId: "", units: "5" }],
  ["petId,counted\r\n3,5\r\n", { sku: "", petId: "3", units: "5" }],
  ['\ufeffName,EAN,Pet ID,Qty\n"Rex, a dog",401,3, 5 \n', { sku: "401", petId: "3", units: "5" }],
])("a list can have SKUs or ids, and other columns: %j", async (content, row) => {
  expect(await read(content)).toEqual([{ line: 2, ...row }]);
});

test.each(["name,delta\nRex,5\n", "sku,name\n1,Rex\n"])(
  "a list without pets or units is refused: %j",
  async (content) => {
    expect(await read(content)).toMatch(/^Line 1: there is no column of pets or units/);
  },
);
