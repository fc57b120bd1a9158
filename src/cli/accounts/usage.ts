import {
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
import { timeOr } from "../output/field-text.ts";
import { printable } from "../output/printable.ts";
import { type Column, table } from "../output/table.ts";
import { type Kind, listing, showing } from "../session/kinds.ts";
import { serverTarget } from "../session/server-target.ts";
import { required } from "../session/session.ts";

interface UsageOptions {
  readonly refused?: true;
}

/** Returns the columns of the requests of something. */
function countColumns<T>(countsOf: (value: T) => RequestCounts | undefined): Column<T>[] {
  return (["admitted", "limited", "banned"] as const).map((name) => ({
    title: name.toUpperCase(),
    of: (value) => countsOf(value)?.[name] ?? 0,
    isNumber: true,
  }));
}

const dayColumns: readonly Column<DailyUsage>[] = [
  { title: "DAY", of: ({ date }) => date },
  ...countColumns<DailyUsage>(({ requests }) => requests),
];

const kind: Kind<typeof AccountUsageSchema, { readonly usage?: AccountUsage }> = {
  desc: AccountUsageSchema,
  columns: [],
  messageOf: ({ usage }) => usage,
  textOf({ accountId, name, plan, minute, day, lastDays }) {
    const isUsed = ({ requests }: DailyUsage) =>
      requests && requests.admitted + requests.limited + requests.banned > 0n;
    const daily = table(dayColumns, lastDays.filter(isUsed));
    const lines = (width: number) => [
      `${accountId}  ${printable(name)}  ${plan}`,
      `${leftOf(minute)} in this minute`,
      `${leftOf(day)} in 24 hours`,
      "",
      ...daily.lines(width),
    ];
    return { hasTitles: false, lines, csv: daily.csv };
  },
};

/** Prints the usage of the account of the calling key. @throws CommandError */
export async function printOwnUsage(environment: Environment): Promise<void> {
  if (!(await serverTarget(environment))) {
    throw usageError(
      "this command shows the account of an API key, so it needs a server: add --server, or run `inventory accounts usage <account-id>`",
    );
  }
  const print = showing(
    kind,
    () => ({}),
    ({ usage }) => usage.getUsage,
  );
  await print(environment);
}

/** Prints the usage of an account, or the busiest accounts of today. @throws CommandError */
export async function printAccountUsage(
  environment: Environment,
  accountId: string | undefined,
  options: UsageOptions,
): Promise<void> {
  if (accountId === undefined) return listTop(environment, options);
  if (options.refused) throw usageError("--refused lists accounts: remove it, or the account id");
  await showUsage(environment, accountId);
}

const showUsage = showing(
  kind,
  (accountId: string) => ({ accountId }),
  ({ admin }) => admin.getAccountUsage,
);

export const topColumns: readonly Column<TopAccount>[] = [
  { title: "ACCOUNT", of: ({ account }) => required(account).accountId },
  { title: "NAME", of: ({ account }) => required(account).name, least: 12 },
  ...countColumns<TopAccount>(({ today }) => today),
  { title: "MINUTE LEFT", of: ({ minute }) => shareOf(minute), isNumber: true },
  { title: "DAY LEFT", of: ({ day }) => shareOf(day), isNumber: true, isExtra: true },
  { title: "BANNED KEYS", of: ({ bannedKeys }) => bannedKeys, isNumber: true, isExtra: true },
];

const listTop = listing(
  { desc: TopAccountSchema, columns: topColumns },
  { field: "accounts" },
  ({ refused }: UsageOptions) => ({
    order: refused ? TopAccountsOrder.REFUSED : TopAccountsOrder.REQUESTS,
  }),
  ({ admin }) =>
    ({ order, pageSize }) =>
      admin.listTopAccounts({ order, pageSize }),
);

/** Prints the keys that are banned now. @throws CommandError */
export const listBans = listing(
  {
    desc: BanSchema,
    columns: [
      { title: "KEY", of: ({ key }) => required(key).keyId },
      { title: "NAME", of: ({ key }) => required(key).name, least: 8 },
      { title: "ACCOUNT", of: ({ accountName }) => accountName, least: 8 },
      { title: "LEVEL", of: ({ level }) => level, isNumber: true },
      { title: "BANNED UNTIL", of: ({ key }) => timeOr(required(key).bannedUntil, "") },
    ],
  },
  { field: "bans" },
  () => ({}),
  ({ admin }) => admin.listBans,
);

/** Returns what is left of a limit, such as `48 of 60 requests left`. */
function leftOf(window: LimitWindow | undefined): string {
  return `${shareOf(window).replace("/", " of ")} requests left`;
}

/** Returns what is left of a limit, such as `48/60`. */
function shareOf(window: LimitWindow | undefined): string {
  return `${window?.remaining ?? 0}/${window?.limit ?? 0}`;
}
