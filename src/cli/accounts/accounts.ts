import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Account,
  AccountSchema,
  type LimitsSchema,
  PlanSchema,
  WritePolicySchema,
} from "../../../gen/admin/v1/admin_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import {
  parsePerDay,
  parsePerMinute,
  parsePlan,
  parseWritePolicy,
  readOption,
  timeOr,
} from "../output/field-text.ts";
import { printResult } from "../output/output.ts";
import { detailsOf } from "../output/table.ts";
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

function limitsOf({
  perMinute,
  perDay,
}: LimitOptions): MessageInitShape<typeof LimitsSchema> | undefined {
  if (perMinute === undefined && perDay === undefined) return undefined;
  if (perMinute === undefined || perDay === undefined) {
    throw usageError("--per-minute and --per-day must be set together");
  }
  return {
    perMinute: readOption("--per-minute", parsePerMinute, perMinute),
    perDay: readOption("--per-day", parsePerDay, perDay),
  };
}
