import { createInterface } from "node:readline";
import { AccountSchema, type DeleteAccountResponse } from "../../../gen/admin/v1/admin_pb.ts";
import { httpJson } from "../../contract/http-json.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { plural, printResult } from "../output/output.ts";
import { printable } from "../output/printable.ts";
import { write } from "../output/terminal.ts";
import { withSession } from "../session/session.ts";

/** Deletes an account, after a confirmation unless --yes is set. @throws CommandError, also if it was not confirmed */
export async function deleteAccount(
  environment: Environment,
  accountId: string,
  { yes }: { readonly yes?: true },
): Promise<void> {
  if (!yes) await confirm(environment, accountId);
  const deleted = await withSession(environment, ({ admin }) => admin.deleteAccount({ accountId }));
  const { account, keys, orders } = deleted;
  const json = account ? `"account":${httpJson.encodeJson(AccountSchema, account)},` : "";
  await printResult(environment, {
    json: () => `{${json}"keys":${keys},"orders":${orders}}`,
    text: () => `deleted ${partsOf(accountId, deleted)}`,
  });
}

/** Shows what would be deleted, and asks for a confirmation. @throws CommandError if there is none */
async function confirm(environment: Environment, accountId: string): Promise<void> {
  const { stdin, stderr } = environment;
  if (!("isTTY" in stdin && stdin.isTTY)) {
    throw usageError(
      "Nothing was deleted: standard input is not a terminal, so the command cannot ask. Add --yes to delete the account",
    );
  }
  const would = await withSession(environment, ({ admin }) =>
    admin.deleteAccount({ accountId, validateOnly: true }),
  );
  await write(
    stderr,
    `This deletes ${partsOf(accountId, would)}, and its usage. It cannot be undone.
Its holds end. The quantities of its orders are not put back into stock. The history and the audit trail keep its id.
Delete it? [y/N] `,
  );
  if (!/^y(?:es)?$/i.test(await answerOf(environment))) {
    throw new CommandError("canceled", "not confirmed: nothing was deleted");
  }
}

/** Reads one line. Returns an empty text if the input ends. */
async function answerOf({ stdin }: Environment): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line.trim();
  return "";
}

/** Describes what belongs to an account, such as `account 7k2mq0x4v9ab (Corner Shop) with 1 key and 3 orders`. */
function partsOf(
  accountId: string,
  { account, keys, orders }: Pick<DeleteAccountResponse, "account" | "keys" | "orders">,
): string {
  const name = account ? ` (${printable(account.name)})` : "";
  return `account ${accountId}${name} with ${plural(keys, "key")} and ${plural(orders, "order")}`;
}
