import { HoldState, type OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { isOpen } from "../stores/order-store.ts";

/**
 * A record of the service's data, which is a line of a backup file. Values are as Redis stores them (see the Lua files in
 * `src/stores/redis`), so that a backup is exact. Records come in this order, with the last order id after the orders.
 */
export type DataRecord =
  | ChangeRecord
  | HoldEntry
  | ItemRecord
  | NamesRecord
  | AccountEntry
  | OrderEntry
  | LastOrder
  | AuditRecord;

/** An entry of the history. */
export interface ChangeRecord {
  /** `<version>-<number>`. Entries are in ascending order. */
  readonly change: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A hold, active or ended (see hold-record.lua). Holds are in no order, and each is there once. */
export interface HoldEntry {
  /** `<account id>/<hold id>` */
  readonly hold: string;
  readonly record: string;
}

/** An item of the stock (see stock.lua). Items are in no order, and each is there once. */
export interface ItemRecord {
  /** The pet id. */
  readonly item: string;
  /** `<quantity>,<status>,<version>` */
  readonly value: string;
}

/** The name and the SKU of a pet that has one of them (see catalog.lua). They are in no order, and each pet is there once. */
export interface NamesRecord {
  /** The pet id. */
  readonly named: string;
  /** `<SKU>`, a tab, and `<name>` */
  readonly names: string;
}

/** An account with its API keys (see accounts.lua). */
export interface AccountEntry {
  /** The account id. */
  readonly account: string;
  /** Its score in the index, or that which it should have: the time of creation, in milliseconds since the epoch. */
  readonly created: number;
  readonly fields: Readonly<Record<string, string>>;
}

/** An order (see orders.lua). */
export interface OrderEntry {
  /** Orders of an account are in ascending order. */
  readonly order: string;
  /** The account id. */
  readonly of: string;
}

/** The id of the last order that was placed. */
export interface LastOrder {
  readonly lastOrder: string;
  /** When the last order ended that was removed because of its age, in milliseconds; absent when none was. */
  readonly removedOrders?: string;
}

/** An entry of the audit trail (see audit.lua). */
export interface AuditRecord {
  /** The sequence number. Entries are in ascending order, without gaps. */
  readonly audit: number;
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly body: string;
}

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const isTexts = (value: unknown) =>
  typeof value === "object" && value !== null && Object.values(value).every(isText);

/** The members of each kind of record, of which the first one names the kind. */
const kinds: readonly Readonly<Record<string, (value: unknown) => boolean>>[] = [
  { change: isText, fields: isTexts },
  { hold: isText, record: isText },
  { item: isText, value: isText },
  { named: isText, names: isText },
  { account: isText, created: isNumber, fields: isTexts },
  { order: isText, of: isText },
  { lastOrder: isText },
  { audit: isNumber, time: isNumber, body: isText },
];

const kindNames = kinds.map((each) => Object.keys(each)[0] ?? "");

/** Returns the place of the kind of a record in the order of records; -1 if the kind is unknown. */
export function kindOf(record: object): number {
  return kindNames.findIndex((name) => name in record);
}

/** Whether the members of a record have the types of its kind. The kind may be unknown. */
export function isWellFormed(record: object): boolean {
  const members = new Map<string, unknown>(Object.entries(record));
  const named = kinds.filter((_, at) => members.has(kindNames[at] ?? ""));
  return named.flatMap(Object.entries).every(([name, isValid]) => isValid(members.get(name)));
}

/** The number of records of each kind: 0. */
export const noCounts = {
  items: 0,
  accounts: 0,
  keys: 0,
  orders: 0,
  changes: 0,
  audit: 0,
  holds: 0,
};

/** The number of records of each kind. */
export type Counts = Readonly<typeof noCounts>;

/** The names of the fields of an entry of the history, in the order in which change.lua writes them. */
export const changeFields = [
  "time",
  "before",
  "changes",
  "reason",
  "note",
  "reference",
  "account",
  "key",
  "request",
  "statuses",
] as const;

/** A change of one item, in an entry of the history. Versions are exact, because they are below 2^53. */
export interface ItemChange {
  readonly petId: string;
  /** The version of the item after the change. */
  readonly version: number;
  /** Undefined if the pet was added. */
  readonly quantityBefore: number | undefined;
  /** Undefined if the pet was removed. */
  readonly quantityAfter: number | undefined;
  /** Undefined if the pet was removed. */
  readonly status: string | undefined;
  /** The version of the item before the change; undefined if the pet was added. */
  readonly versionBefore: number | undefined;
}

/** The id of an entry of the history. */
export interface EntryId {
  /** The version of its last change. */
  readonly version: number;
  /** The number of all changes up to it. */
  readonly number: number;
}

/** Parses `<version>-<number>`. @returns undefined if the text is malformed */
export function parseEntryId(text: string): EntryId | undefined {
  const [, version, number] = /^(\d{1,16})-(\d{1,16})$/.exec(text) ?? [];
  return version === undefined ? undefined : { version: Number(version), number: Number(number) };
}

/** Parses the changes of an entry. @param version that of the last change @returns undefined if the text is malformed */
export function parseChanges(text: string, version: number): ItemChange[] | undefined {
  const changes: ItemChange[] = [];
  const form = /;(\d{1,4}) (\d{1,19}) (?:(\d{1,10})|-) (?:(\d{1,10}) (\d)|- -) (?:(\d{1,16})|-)/y;
  while (form.lastIndex < text.length) {
    const parts = form.exec(text);
    if (!parts) return undefined;
    const [, versionsBefore, petId = "", before, after, status, versionBefore] = parts;
    changes.push({
      petId,
      version: version - Number(versionsBefore),
      quantityBefore: optionalNumber(before),
      quantityAfter: optionalNumber(after),
      status,
      versionBefore: optionalNumber(versionBefore),
    });
  }
  return changes;
}

/** Returns the changes of an entry as text. The reverse of {@link parseChanges}. */
export function changesText(changes: readonly ItemChange[], version: number): string {
  const texts = changes.map((change) => {
    const { petId, quantityBefore, quantityAfter, status, versionBefore } = change;
    const values = [quantityBefore, quantityAfter, status, versionBefore];
    return `;${version - change.version} ${petId} ${values.map((each) => each ?? "-").join(" ")}`;
  });
  return texts.join("");
}

function optionalNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** Returns the SKU in the names of a pet; undefined if they are malformed. */
export function skuIn(names: string): string | undefined {
  return /^([ -~]{0,64})\t(?=.|(?<=.\t))/s.exec(names)?.[1];
}

export type OrderParts = NonNullable<ReturnType<typeof parseOrder>>;

/** Parses an order (see orders.lua). @returns undefined if the text is malformed */
export function parseOrder(text: string) {
  const parts =
    /^(\d{19}),(\d{1,19}),(\d{1,10}),([1-4]),(\d{1,16})(?:,(\d{1,16}))?(?: (.+))?$/s.exec(text);
  if (!parts) return undefined;
  const [, orderId, petId = "", quantity, status = "", placedAt, endedAt, reference = ""] = parts;
  const isEnded = !isOpen({ status: Number(status) as OrderStatus });
  if (isEnded !== (endedAt !== undefined)) return undefined;
  return {
    endedAt,
    orderId: Number(orderId),
    petId,
    quantity: Number(quantity),
    status,
    placedAt: Number(placedAt),
    reference,
  };
}

/** Returns an order as text. The reverse of {@link parseOrder}. */
export function orderText({ orderId, ...parts }: OrderParts): string {
  const { petId, quantity, status, placedAt, endedAt, reference } = parts;
  const end = endedAt === undefined ? "" : `,${endedAt}`;
  const own = reference === "" ? "" : ` ${reference}`;
  return `${paddedId(String(orderId))},${petId},${quantity},${status},${placedAt}${end}${own}`;
}

/** Parses a hold (see hold-record.lua). @returns undefined if it is malformed */
export function parseHold({ hold, record }: HoldEntry) {
  const [, of, holdId] = /^([0-9a-z]{12})\/([\w.~-]{1,64})$/.exec(hold) ?? [];
  const parts =
    /^([1-4]),(\d{1,16}),(\d{1,15}),(\d{1,15}),(\d{1,16}),(\d{1,16})((?: \d{1,19}:\d{1,10})+)$/.exec(
      record,
    );
  if (of === undefined || holdId === undefined || !parts) return undefined;
  const [state, , expiresAt, endedAt, order = 0, step = 0] = parts.slice(1, 7).map(Number);
  const isConfirmed = state === HoldState.CONFIRMED;
  const items = [...(parts[7] ?? "").matchAll(/(\d+):(\d+)/g)].map(
    ([, petId = "", quantity], at) => ({
      petId,
      quantity: Number(quantity),
      orderId: isConfirmed ? order + at * step : undefined,
    }),
  );
  const areValid = items.every(({ petId, quantity }) => isPetId(petId) && quantity > 0);
  const areDistinct = new Set(items.map(({ petId }) => petId)).size === items.length;
  const hasEnd = (state === HoldState.ACTIVE) === (endedAt === 0);
  const hasOrders = isConfirmed ? order > 0 && step > 0 : order + step === 0;
  if (!areValid || !areDistinct || !hasEnd || !hasOrders) return undefined;
  return { of, holdId, state, expiresAt: Number(expiresAt), endedAt: Number(endedAt), items };
}

/** Pads an id with zeros to 19 digits, so that the order of the texts is that of the numbers. */
export function paddedId(id: string): string {
  return id.padStart(19, "0");
}

/** The highest pet id: that of an int64. */
const lastPet = "9223372036854775807";

/** Whether a text is a pet id without leading zeros. */
export function isPetId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && paddedId(text) <= lastPet;
}
