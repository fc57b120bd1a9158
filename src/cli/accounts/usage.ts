import {
  type Ban,
  BanSchema,
  type TopAccount,
  TopAccountSchema,
  TopAccountsOrder,
} from "../../../gen/admin/v1/admin_pb.ts";
import {
  type AccountUsage,
  AccountUsageSchema,
  type DailyUsage,
  type LimitWindow,
  type RequestCounts,
} from "../../../gen/usage/v1/usage_pb.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { printable } from "../output/printable.ts";
import { type Column, table } from "../output/table.ts";
import type { FieldSources } from "../session/field-sources.ts";
import { serverTarget } from "../session/server-target.ts";
import { allPages, required, type Session, withSession } from "../session/session.ts";
import { timeOr } from "./key-text.ts";

/** Options of `accounts usage`. */
interface UsageOptions {
  readonly refused?: true;
  readonly limit: number;
}

/** Prints the usage of the account of the calling key. @throws CommandError */
export async function printOwnUsage(environment: Environment): Promise<void> {
  if (!(await serverTarget(environment))) {
    throw usageError(
      "this command shows the account of an API key, so it needs a server: add --server, or run `inventory accounts usage <account-id>`",
    );
  }
  await printResponse(environment, {}, (session) => session.usage.getUsage({}));
}

/** Prints the usage of an account, or the busiest accounts of today. @throws CommandError */
export async function printAccountUsage(
  environment: Environment,
  accountId: string | undefined,
  options: UsageOptions,
): Promise<void> {
  if (accountId === undefined) return printTop(environment, options);
  if (options.refused) throw usageError("--refused lists accounts: remove it, or the account id");
  await printResponse(environment, { account_id: "[account-id]" }, ({ admin }) =>
    admin.getAccountUsage({ accountId }),
  );
}

/** Prints the keys that are banned now. @throws CommandError */
export async function listBans(
  environment: Environment,
  { limit }: { readonly limit?: number },
): Promise<void> {
  const bans = await withSession(environment, {}, ({ admin }) =>
    allPages(
      environment,
      limit,
      (page) => admin.listBans(page),
      (page) => page.bans,
    ),
  );
  const columns: readonly (Column | string)[] = [
    "KEY",
    { title: "NAME", least: 8 },
    { title: "ACCOUNT", least: 8 },
    { title: "LEVEL", isNumber: true },
    "BANNED UNTIL",
  ];
  await printMessages(environment, BanSchema, bans, { columns, cellsOf: cellsOfBan });
}

async function printTop(environment: Environment, { refused, limit }: UsageOptions): Promise<void> {
  const order = refused ? TopAccountsOrder.REFUSED : TopAccountsOrder.REQUESTS;
  const { accounts } = await withSession(environment, {}, ({ admin }) =>
    admin.listTopAccounts({ pageSize: limit, order }),
  );
  await printMessages(environment, TopAccountSchema, accounts, {
    columns: topColumns,
    cellsOf: cellsOfTop,
  });
}

/** Makes a call and prints the usage in its response. */
async function printResponse(
  environment: Environment,
  sources: FieldSources,
  call: (session: Session) => Promise<{ readonly usage?: AccountUsage | undefined }>,
): Promise<void> {
  const { usage } = await withSession(environment, sources, call);
  await printMessage(environment, AccountUsageSchema, required(usage), (found, width) => {
    const days = found.lastDays.filter(({ requests }) => totalOf(requests) > 0n);
    const daily = table(["DAY", ...countColumns], days.map(cellsOfDay));
    if (environment.format === "csv") return daily;
    return [
      `${found.accountId}  ${printable(found.name)}  ${found.plan}`,
      `${leftOf(found.minute)} in this minute`,
      `${leftOf(found.day)} in 24 hours`,
      "",
      ...daily.lines(width),
    ].join("\n");
  });
}

const countColumns: readonly Column[] = ["ADMITTED", "LIMITED", "BANNED"].map((title) => ({
  title,
  isNumber: true,
}));

/** The columns of the busiest accounts. */
export const topColumns: readonly (Column | string)[] = [
  "ACCOUNT",
  { title: "NAME", least: 12 },
  ...countColumns,
  { title: "MINUTE LEFT", isNumber: true },
  { title: "DAY LEFT", isNumber: true, isExtra: true },
  { title: "BANNED KEYS", isNumber: true, isExtra: true },
];

function countsOf(requests: RequestCounts | undefined): string[] {
  return [requests?.admitted, requests?.limited, requests?.banned].map((count) =>
    String(count ?? 0),
  );
}

function totalOf(requests: RequestCounts | undefined): bigint {
  return requests ? requests.admitted + requests.limited + requests.banned : 0n;
}

/** Returns what is left of a limit, such as `48 of 60 requests left`. */
function leftOf(window: LimitWindow | undefined): string {
  return `${window?.remaining ?? 0} of ${window?.limit ?? 0} requests left`;
}

function cellsOfDay({ date, requests }: DailyUsage): string[] {
  return [date, ...countsOf(requests)];
}

/** Returns the cells of {@link topColumns}. */
export function cellsOfTop({ account, today, minute, day, bannedKeys }: TopAccount): string[] {
  return [
    required(account).accountId,
    required(account).name,
    ...countsOf(today),
    `${minute?.remaining ?? 0}/${minute?.limit ?? 0}`,
    `${day?.remaining ?? 0}/${day?.limit ?? 0}`,
    String(bannedKeys),
  ];
}

function cellsOfBan({ key, accountName, level }: Ban): string[] {
  const { keyId, name, bannedUntil } = required(key);
  return [keyId, name, accountName, String(level), timeOr(bannedUntil, "")];
}
