import { create } from "@bufbuild/protobuf";
import { type AccountHold, AccountHoldSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { type Hold, HoldStateSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { parseHoldState, timeOr } from "../output/field-text.ts";
import { type Column, detailsOf } from "../output/table.ts";
import { type Kind, listing, type OfAccount, showing } from "../session/kinds.ts";
import { type Entries, requestOfPet, type SkuOption } from "../session/pets.ts";
import { required, smallPage } from "../session/session.ts";

interface ListHoldsOptions {
  readonly state: string;
}

const holdOf = ({ hold }: AccountHold) => required(hold);

const columnsOf = (entries: Entries): readonly Column<AccountHold>[] => [
  { title: "ID", of: (each) => holdOf(each).holdId },
  { title: "ACCOUNT", of: ({ accountId }) => accountId },
  { title: "STATE", of: (each) => enumWord(HoldStateSchema, holdOf(each).state) },
  { title: "EXPIRES", of: (each) => timeOr(holdOf(each).expiresAt, ""), isExtra: true },
  { title: "UNITS", of: (each) => unitsOf(each, entries), isExtra: true, least: 12 },
];

const kind: Kind<typeof AccountHoldSchema, { readonly hold?: Hold }, OfAccount> = {
  desc: AccountHoldSchema,
  messageOf: ({ hold }, { accountId }) =>
    create(AccountHoldSchema, { accountId, hold: required(hold) }),
  petsOf: (each) => holdOf(each).items.map(({ petId }) => petId),
  columns: columnsOf,
  textOf: (each, entries) => {
    const orders = { title: "ORDERS", of: () => holdOf(each).orderIds.join(", ") };
    return detailsOf([...columnsOf(entries), orders], each);
  },
};

/** Prints the holds of an account or of all accounts, those that began last first. @throws CommandError */
export const listHolds = listing(
  kind,
  { field: "holds", largest: smallPage.holds },
  (accountId: string | undefined, { state }: ListHoldsOptions) => ({
    accountId: accountId ?? "",
    state: [parseHoldState(state)],
  }),
  ({ admin }) => admin.listHolds,
);

/** Prints the holds with units of a pet, those that began last first. @throws CommandError */
export const listHoldsOfPet = listing(
  kind,
  { field: "holds", largest: smallPage.holds },
  (pet: string | undefined, { state, sku }: ListHoldsOptions & SkuOption) =>
    requestOfPet(pet, { sku }, { state: [parseHoldState(state)] }),
  ({ admin }) => admin.listHolds,
);

const requestOf = (accountId: string, holdId: string) => ({ accountId, holdId });

/** Prints one hold. @throws CommandError */
export const getHold = showing(kind, requestOf, ({ admin }) => admin.getHold);

/** Ends a hold. @throws CommandError */
export const releaseHold = showing(kind, requestOf, ({ admin }) => admin.releaseHold);

function unitsOf(each: AccountHold, entries: Entries): string {
  const textOf = (petId: bigint) => {
    const name = entries.get(petId)?.name;
    return name ? `${petId} (${name})` : `${petId}`;
  };
  const { items } = holdOf(each);
  return items.map(({ petId, quantity }) => `${quantity} of pet ${textOf(petId)}`).join(", ");
}
