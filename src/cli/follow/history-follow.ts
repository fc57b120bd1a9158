import type { Environment } from "../environment.ts";
import { withStores } from "../session/session.ts";
import type { FollowOptions } from "./follow.ts";
import { changeJson, historyRecords } from "./history-records.ts";
import { printRecords } from "./print-records.ts";

/**
 * Prints every change of the stock after the place of a name, as one line of JSON each.
 *
 * @throws CommandError if the history no longer has some of these changes, or is another one
 */
export async function followHistory(
  environment: Environment,
  name: string,
  options: FollowOptions,
): Promise<void> {
  await withStores(environment, (stores) =>
    printRecords(environment, stores, {
      kind: "history",
      name,
      options,
      records: historyRecords(stores),
      lineOf: changeJson,
    }),
  );
}
