import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Account,
  AccountSchema,
  type LimitsSchema,
  Plan,
  PlanSchema,
  type WritePolicy,
  WritePolicySchema,
} from "../../../gen/admin/v1/admin_pb.ts";
import { enumNumber, enumWord } from "../../call/enum-word.ts";
import { httpJson } from "../../contract/http-json.ts";
import { usageError } from "../command-error.ts";
import type { PlanWord, WritePolicyWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { parsePerDay, parsePerMinute, readOption } from "../output/field-text.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { printResult } from "../output/output.ts";
import { type Column, type Details, details } from "../output/table.ts";
import type { FieldSources } from "../session/field-sources.ts";
import { allPages, required, type Session, withSession } from "../session/session.ts";
import { timeOr } from "./key-text.ts";

/** Options for the limits of an enterprise account. */
interface LimitOptions {
  readonly perMinute?: string;
  readonly perDay?: string;
}

/** Options of `accounts create`. */
interface AccountOptions extends LimitOptions {
  readonly name: string;
  readonly plan: PlanWord;
}

const accountSources = { account_id: "<account-id>" };

const limitSources = {
  limits: "--per-minute with --per-day",
  "limits.per_minute": "--per-minute",
  "limits.per_day": "--per-day",
};

/** Creates an account and prints it. @throws CommandError */
export async function createAccount(
  environment: Environment,
  { name, plan, ...limits }: AccountOptions,
): Promise<void> {
  const request = { name, plan: planNumber(plan), limits: limitsOf(limits) };
  const sources = { name: "--name", plan: "--plan", ...limitSources };
  const account = await withSession(environment, sources, async ({ admin }) =>
    required((await admin.createAccount(request)).account),
  );
  await printResult(environment, {
    json: () => JSON.stringify({ accountId: account.accountId }),
    text: () => detailsOf(account),
  });
}

/** Prints the accounts, oldest first. @throws CommandError */
export async function listAccounts(
  environment: Environment,
  { limit }: { readonly limit?: number },
): Promise<void> {
  const accounts = await withSession(environment, {}, ({ admin }) =>
    allPages(
      environment,
      limit,
      (page) => admin.listAccounts(page),
      (page) => page.accounts,
    ),
  );
  const columns: readonly (Column | string)[] = [
    "ID",
    { title: "NAME", least: 16 },
    "PLAN",
    { title: "PER MINUTE", isNumber: true },
    { title: "PER DAY", isNumber: true },
    "STATE",
    { title: "WRITES", isExtra: true },
    { title: "CREATED", isExtra: true },
    { title: "DISABLED", isExtra: true },
  ];
  await printMessages(environment, AccountSchema, accounts, { columns, cellsOf });
}

/** Prints one account. @throws CommandError */
export async function showAccount(environment: Environment, accountId: string): Promise<void> {
  await printResponse(environment, accountSources, ({ admin }) => admin.getAccount({ accountId }));
}

/** Changes the plan of an account. @throws CommandError */
export async function setPlan(
  environment: Environment,
  accountId: string,
  plan: PlanWord,
  options: LimitOptions,
): Promise<void> {
  const request = { accountId, plan: planNumber(plan), limits: limitsOf(options) };
  const sources = { ...accountSources, plan: "<plan>", ...limitSources };
  await printResponse(environment, sources, ({ admin }) => admin.setPlan(request));
}

/** Changes the write policy of an account. @throws CommandError */
export async function setWritePolicy(
  environment: Environment,
  accountId: string,
  word: WritePolicyWord,
): Promise<void> {
  const writePolicy = enumNumber(WritePolicySchema, word) as WritePolicy;
  const sources = { ...accountSources, write_policy: "<policy>" };
  await printResponse(environment, sources, ({ admin }) =>
    admin.setWritePolicy({ accountId, writePolicy }),
  );
}

/** Renames an account. @throws CommandError */
export async function renameAccount(
  environment: Environment,
  accountId: string,
  name: string,
): Promise<void> {
  const sources = { ...accountSources, name: "<name>" };
  await printResponse(environment, sources, ({ admin }) =>
    admin.renameAccount({ accountId, name }),
  );
}

/** Disables an account. @throws CommandError */
export async function disableAccount(environment: Environment, accountId: string): Promise<void> {
  await printResponse(environment, accountSources, ({ admin }) =>
    admin.disableAccount({ accountId }),
  );
}

/** Enables an account. @throws CommandError */
export async function enableAccount(environment: Environment, accountId: string): Promise<void> {
  await printResponse(environment, accountSources, ({ admin }) =>
    admin.enableAccount({ accountId }),
  );
}

/** Makes a call and prints the account in its response. */
async function printResponse(
  environment: Environment,
  sources: FieldSources,
  call: (session: Session) => Promise<{ readonly account?: Account | undefined }>,
): Promise<void> {
  const { account } = await withSession(environment, sources, call);
  await printMessage(environment, AccountSchema, required(account), detailsOf);
}

/** Formats an account as JSON. */
export function accountJson(account: Account): string {
  return httpJson.encodeJson(AccountSchema, account);
}

function detailsOf(account: Account): Details {
  return details(cellsOf(account));
}

function cellsOf({ accountId, name, plan, limits, createdAt, ...rest }: Account) {
  return {
    id: accountId,
    name,
    plan: enumWord(PlanSchema, plan),
    "per minute": String(limits?.perMinute ?? ""),
    "per day": String(limits?.perDay ?? ""),
    state: rest.disabledAt ? "disabled" : "enabled",
    writes: enumWord(WritePolicySchema, rest.writePolicy),
    created: timeOr(createdAt, ""),
    disabled: timeOr(rest.disabledAt, ""),
  };
}

function planNumber(plan: PlanWord): Plan {
  return (enumNumber(PlanSchema, plan) ?? Plan.UNSPECIFIED) as Plan;
}

function limitsOf({
  perMinute,
  perDay,
}: LimitOptions): MessageInitShape<typeof LimitsSchema> | undefined {
  if (perMinute === undefined && perDay === undefined) {
    return undefined;
  }
  if (perMinute === undefined || perDay === undefined) {
    throw usageError("--per-minute and --per-day must be set together");
  }
  return {
    perMinute: readOption("--per-minute", parsePerMinute, perMinute),
    perDay: readOption("--per-day", parsePerDay, perDay),
  };
}
