import { expect, test } from "vitest";
import { HoldState } from "../../gen/store/v1/store_pb.ts";
import { createHistoryCheck } from "../../src/backup/check-history.ts";
import { createHoldCheck } from "../../src/backup/check-holds.ts";
import { paddedId, parseOrder } from "../../src/backup/records.ts";
import { hourMs } from "../../src/common/durations.ts";

/** Returns what a check says about a pet of the highest quantity, of which an active hold has 5 units until a time. */
function problemsOf(expiresAt: number): string[] {
  const problems: string[] = [];
  const report = (problem: string) => problems.push(problem);
  const check = createHoldCheck(report, createHistoryCheck(report));
  const record = `${HoldState.ACTIVE},1,${expiresAt},0,0,0 7:5`;
  check.checkHold({ hold: "aaaaaaaaaaaa/cart", record });
  check.checkItem("7", 2 ** 31 - 1);
  return problems;
}

test("the units of a hold count as held until it expires", () => {
  const problem = "pet 7 has the quantity 2147483647 and 5 held units, which are too many";
  expect(problemsOf(Date.now() + hourMs)).toEqual([problem]);
});

test("an order of a confirmed hold has no reference, or the hold's id", () => {
  const problems: string[] = [];
  const report = (problem: string) => problems.push(problem);
  const check = createHoldCheck(report, createHistoryCheck(report));
  for (const [at, reference] of ["", " cart", " other"].entries()) {
    const record = `${HoldState.CONFIRMED},1,5,4,${at + 1},1 7:5`;
    check.checkHold({ hold: "aaaaaaaaaaaa/cart", record });
    const order = parseOrder(`${paddedId(String(at + 1))},7,5,1,4${reference}`);
    if (order) check.checkOrder("aaaaaaaaaaaa", order);
  }
  expect(problems).toEqual(["order 3 of account aaaaaaaaaaaa differs from hold aaaaaaaaaaaa/cart"]);
});

test("the units of a due hold count as not held, even if no sweep has ended it", () => {
  expect(problemsOf(Date.now() - 1)).toEqual([]);
});
