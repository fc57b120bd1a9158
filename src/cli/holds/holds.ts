import { type AccountHold, AccountHoldSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { type Hold, type HoldState, HoldStateSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWord } from "../../call/enum-word.ts";
import { timeOr } from "../accounts/key-text.ts";
import type { HoldStateWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { parseHoldCount, parsePetId, readOption } from "../output/field-text.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { details } from "../output/output.ts";
import { allPages, required, type Session, withSession } from "../session/session.ts";

/** Options of `holds list`. */
interface ListHoldsOptions {
  readonly account?: string;
  readonly pet?: string;
  readonly state: HoldStateWord;
  readonly last: string;
}

const holdSources = { account_id: "<account>", hold_id: "<hold-id>" };

/** Prints holds, those that began last first. @throws CommandError */
export async function listHolds(
  environment: Environment,
  { account = "", pet, state, last }: ListHoldsOptions,
): Promise<void> {
  const count = readOption("--last", parseHoldCount, last);
  const sources = { account_id: "--account", pet_id: "--pet", page_size: "--last" };
  const wanted = {
    accountId: account,
    ...(pet !== undefined && { petId: readOption("--pet", parsePetId, pet) }),
    state: [enumNumber(HoldStateSchema, state) as HoldState],
  };
  // A page can have few holds.
  const holds = await withSession(environment, sources, ({ admin }) =>
    allPages(
      (pageToken) => admin.listHolds({ ...wanted, pageSize: count, pageToken }),
      (page) => page.holds,
      count,
    ),
  );
  await printMessages(environment, AccountHoldSchema, holds, {
    header: ["ID", "ACCOUNT", "STATE", "EXPIRES", "UNITS"],
    cellsOf: (hold) => Object.values(cellsOf(hold)),
  });
}

/** Prints one hold. @throws CommandError */
export async function getHold(
  environment: Environment,
  accountId: string,
  holdId: string,
): Promise<void> {
  await printResponse(environment, accountId, ({ admin }) => admin.getHold({ accountId, holdId }));
}

/** Ends a hold. @throws CommandError */
export async function releaseHold(
  environment: Environment,
  accountId: string,
  holdId: string,
): Promise<void> {
  await printResponse(environment, accountId, ({ admin }) =>
    admin.releaseHold({ accountId, holdId }),
  );
}

/** Makes a call and prints the hold in its response. */
async function printResponse(
  environment: Environment,
  accountId: string,
  call: (session: Session) => Promise<{ readonly hold?: Hold | undefined }>,
): Promise<void> {
  const { hold } = await withSession(environment, holdSources, call);
  const found = { $typeName: AccountHoldSchema.typeName, accountId, hold: required(hold) };
  await printMessage(environment, AccountHoldSchema, found, (each) =>
    details({ ...cellsOf(each), orders: found.hold.orderIds.join(", ") }),
  );
}

function cellsOf({ accountId, hold }: AccountHold) {
  const { holdId, items, state, expiresAt } = required(hold);
  return {
    id: holdId,
    account: accountId,
    state: enumWord(HoldStateSchema, state),
    expires: timeOr(expiresAt, ""),
    units: items.map(({ petId, quantity }) => `${quantity} of pet ${petId}`).join(", "),
  };
}
