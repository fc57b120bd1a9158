import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type AccountHold,
  AccountHoldSchema,
  type ListHoldsRequestSchema,
} from "../../../gen/admin/v1/admin_pb.ts";
import { type Hold, type HoldState, HoldStateSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWord } from "../../call/enum-word.ts";
import { timeOr } from "../accounts/key-text.ts";
import type { HoldStateWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { parsePetId, readOption } from "../output/field-text.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { type Column, details } from "../output/table.ts";
import { allPages, required, type Session, smallPage, withSession } from "../session/session.ts";

/** Options of `holds list` and `items holds`. */
interface ListHoldsOptions {
  readonly state: HoldStateWord;
  readonly limit: number;
}

const holdSources = { account_id: "<account-id>", hold_id: "<hold-id>" };

/** Prints the holds of an account or of all accounts, those that began last first. @throws CommandError */
export async function listHolds(
  environment: Environment,
  accountId: string | undefined,
  options: ListHoldsOptions,
): Promise<void> {
  await printHolds(environment, accountId === undefined ? {} : { accountId }, options);
}

/** Prints the holds with units of a pet, those that began last first. @throws CommandError */
export async function listHoldsOfPet(
  environment: Environment,
  pet: string,
  options: ListHoldsOptions,
): Promise<void> {
  await printHolds(environment, { petId: readOption("<pet-id>", parsePetId, pet) }, options);
}

async function printHolds(
  environment: Environment,
  filter: MessageInitShape<typeof ListHoldsRequestSchema>,
  { state, limit }: ListHoldsOptions,
): Promise<void> {
  const wanted = { ...filter, state: [enumNumber(HoldStateSchema, state) as HoldState] };
  const sources = { account_id: "[account-id]", pet_id: "<pet-id>" };
  const holds = await withSession(environment, sources, ({ admin }) =>
    allPages(
      environment,
      limit,
      (page) => admin.listHolds({ ...wanted, ...page }),
      (page) => page.holds,
      smallPage.holds,
    ),
  );
  const columns: readonly (Column | string)[] = [
    "ID",
    "ACCOUNT",
    "STATE",
    { title: "EXPIRES", isExtra: true },
    { title: "UNITS", isExtra: true, least: 12 },
  ];
  await printMessages(environment, AccountHoldSchema, holds, { columns, cellsOf });
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
