import { createInterface } from "node:readline";
import {
  type Account,
  AccountSchema,
  type DeleteAccountResponse,
  PlanSchema,
  WritePolicySchema,
} from "../../../gen/admin/v1/admin_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { httpJson } from "../../contract/json.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import {
  parsePerDay,
  parsePerMinute,
  parsePlan,
  parseWritePolicy,
  readOption,
  timeOr,
} from "../output/field-text.ts";
import { plural, printResult } from "../output/output.ts";
import { printable } from "../output/printable.ts";
import { detailsOf } from "../output/table.ts";
import { write } from "../output/terminal.ts";
import { type Kind, listing, showing } from "../session/kinds.ts";
import { required, withSession } from "../session/session.ts";

interface LimitOptions {
  readonly perMinute?: string;
  readonly perDay?: string;
}

const kind = {
  desc: AccountSchema,
  messageOf: ({ account }: { readonly account?: Account }) => account,
  columns: [
    { title: "ID", of: ({ accountId }) => accountId },
    { title: "NAME", of: ({ name }) => name, least: 16 },
    { title: "PLAN", of: ({ plan }) => enumWord(PlanSchema, plan) },
    { title: "PER MINUTE", of: ({ limits }) => limits?.perMinute, isNumber: true },
    { title: "PER DAY", of: ({ limits }) => limits?.perDay, isNumber: true },
    { title: "STATE", of: ({ disabledAt }) => (disabledAt ? "disabled" : "enabled") },
    {
      title: "WRITES",
      of: ({ writePolicy }) => enumWord(WritePolicySchema, writePolicy),
      isExtra: true,
    },
    { title: "CREATED", of: ({ createdAt }) => timeOr(createdAt, ""), isExtra: true },
    { title: "DISABLED", of: ({ disabledAt }) => timeOr(disabledAt, ""), isExtra: true },
  ],
} satisfies Kind<typeof AccountSchema, { readonly account?: Account }>;

/** Creates an account and prints it. @throws CommandError */
export async function createAccount(
  environment: Environment,
  { name, plan, ...limits }: LimitOptions & { readonly name: string; readonly plan: string },
): Promise<void> {
  const request = { name, plan: parsePlan(plan), limits: limitsOf(limits) };
  const account = await withSession(environment, async ({ admin }) =>
    required((await admin.createAccount(request)).account),
  );
  await printResult(environment, {
    json: () => JSON.stringify({ accountId: account.accountId }),
    text: () => detailsOf(kind.columns, account),
  });
}

const ofAccount = (accountId: string) => ({ accountId });

/** Prints the accounts, oldest first. @throws CommandError */
export const listAccounts = listing(
  kind,
  { field: "accounts" },
  () => ({}),
  ({ admin }) => admin.listAccounts,
);

/** Prints one account. @throws CommandError */
export const showAccount = showing(kind, ofAccount, ({ admin }) => admin.getAccount);

/** Changes the plan of an account. @throws CommandError */
export const setPlan = showing(
  kind,
  (accountId: string, plan: string, options: LimitOptions) => ({
    accountId,
    plan: parsePlan(plan),
    limits: limitsOf(options),
  }),
  ({ admin }) => admin.setPlan,
);

/** Changes the write policy of an account. @throws CommandError */
export const setWritePolicy = showing(
  kind,
  (accountId: string, policy: string) => ({ accountId, writePolicy: parseWritePolicy(policy) }),
  ({ admin }) => admin.setWritePolicy,
);

/** Renames an account. @throws CommandError */
export const renameAccount = showing(
  kind,
  (accountId: string, name: string) => ({ accountId, name }),
  ({ admin }) => admin.renameAccount,
);

/** Disables an account. @throws CommandError */
export const disableAccount = showing(kind, ofAccount, ({ admin }) => admin.disableAccount);

/** Enables an account. @throws CommandError */
export const enableAccount = showing(kind, ofAccount, ({ admin }) => admin.enableAccount);

function limitsOf({ perMinute, perDay }: LimitOptions) {
  if (perMinute === undefined && perDay === undefined) return undefined;
  if (perMinute === undefined || perDay === undefined) {
    throw usageError("--per-minute and --per-day must be set together");
  }
  return {
    perMinute: readOption("--per-minute", parsePerMinute, perMinute),
    perDay: readOption("--per-day", parsePerDay, perDay),
  };
}

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
function partsOf(accountId: string, { account, keys, orders }: DeleteAccountResponse): string {
  const name = account ? ` (${printable(account.name)})` : "";
  return `account ${accountId}${name} with ${plural(keys, "key")} and ${plural(orders, "order")}`;
}
