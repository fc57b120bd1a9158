import { vi } from "vitest";
import type { Contract } from "../../contract/support.ts";
import { methodNamesOf, storesIn } from "../../support/store-methods.ts";

/** Methods that not only operations call: also admission, the audit trail and the counts of usage. */
const usedByOthers = new Set(["admitKey", "countAddress", "append", "slotOf", "add"]);

/** Makes every method of the stores that operations call fail once, after it has sent its commands. */
export function failOnce({ server }: Contract, fail: () => Promise<never>): void {
  const fails = async (...args: readonly unknown[]): Promise<never> => {
    noteSent(args);
    return fail();
  };
  for (const [, store] of storesIn(server.stores)) {
    for (const name of methodNamesOf(store).filter((each) => !usedByOthers.has(each))) {
      vi.spyOn(store as unknown as Record<string, typeof fails>, name).mockImplementationOnce(
        fails,
      );
    }
  }
}

/** Notes in the record of a call that a change was sent. @param args the arguments of a method of a store */
function noteSent(args: readonly unknown[]): void {
  for (const value of args) {
    if (typeof value !== "object" || value === null) continue;
    const { record, context } = value as { record?: { changesSent: number }; context?: unknown };
    if (record) record.changesSent += 1;
    else if (context) noteSent([context]);
  }
}
