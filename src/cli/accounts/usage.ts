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
import { printable, table } from "../output/output.ts";
import type { FieldSources } from "../session/field-sources.ts";
import { allPages, chosenServer, required, type Session, withSession } from "../session/session.ts";
import { timeOr } from "./key-text.ts";

/** Options of `accounts usage`. */
interface UsageOptions {
  readonly top?: true;
  readonly refused?: true;
}

/** The most accounts that the service returns at once. */
const mostTop = 100;

const bansPerPage = 1_000;

/** Prints the usage of the account of the calling key. @throws CommandError */
export async function printOwnUsage(environment: Environment): Promise<void> {
  if (!(await chosenServer(environment))) {
    throw usageError(
      "this command shows the account of an API key, so it needs a server: add --server, or run `inventory accounts usage <account>`",
    );
  }
  await printResponse(environment, {}, (session) => session.usage.getUsage({}));
}

/** Prints the usage of an account, or the busiest accounts of today. @throws CommandError */
export async function printAccountUsage(
  environment: Environment,
  accountId: string | undefined,
  { top, refused }: UsageOptions,
): Promise<void> {
  if ((accountId === undefined) !== (top === true || refused === true)) {
    throw usageError("accounts usage: set an account id, or --top, or --refused");
  }
  if (accountId === undefined) {
    await printTop(environment, refused === true);
    return;
  }
  await printResponse(environment, { account_id: "<account>" }, ({ admin }) =>
    admin.getAccountUsage({ accountId }),
  );
}

/** Prints the keys that are banned now. @throws CommandError */
export async function listBans(environment: Environment): Promise<void> {
  const bans = await withSession(environment, {}, ({ admin }) =>
    allPages(
      (pageToken) => admin.listBans({ pageSize: bansPerPage, pageToken }),
      (page) => page.bans,
    ),
  );
  const header = ["KEY", "NAME", "ACCOUNT", "LEVEL", "BANNED UNTIL"];
  await printMessages(environment, BanSchema, bans, { header, cellsOf: cellsOfBan });
}

async function printTop(environment: Environment, isRefused: boolean): Promise<void> {
  const order = isRefused ? TopAccountsOrder.REFUSED : TopAccountsOrder.REQUESTS;
  const { accounts } = await withSession(environment, {}, ({ admin }) =>
    admin.listTopAccounts({ pageSize: mostTop, order }),
  );
  const header = ["ACCOUNT", "NAME", ...countsHeader, "MINUTE LEFT", "DAY LEFT", "BANNED KEYS"];
  await printMessages(environment, TopAccountSchema, accounts, { header, cellsOf: cellsOfTop });
}

/** Makes a call and prints the usage in its response. */
async function printResponse(
  environment: Environment,
  sources: FieldSources,
  call: (session: Session) => Promise<{ readonly usage?: AccountUsage | undefined }>,
): Promise<void> {
  const { usage } = await withSession(environment, sources, call);
  await printMessage(environment, AccountUsageSchema, required(usage), (found) => {
    const days = found.lastDays.filter(({ requests }) => totalOf(requests) > 0n);
    const daily = table(["DAY", ...countsHeader], days.map(cellsOfDay));
    if (environment.format === "csv") return daily;
    return [
      `${found.accountId}  ${printable(found.name)}  ${found.plan}`,
      `${leftOf(found.minute)} in this minute, ${leftOf(found.day)} in 24 hours`,
      "",
      daily,
    ].join("\n");
  });
}

const countsHeader = ["ADMITTED", "LIMITED", "BANNED"] as const;

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

function cellsOfTop({ account, today, minute, day, bannedKeys }: TopAccount): string[] {
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
