import { create } from "@bufbuild/protobuf";
import { quote } from "connect-gateway/call";
import { type CatalogEntry, ListPetsRequestSchema } from "../../../gen/catalog/v1/catalog_pb.ts";
import { compileValidator } from "../../contract/validator.ts";
import { CommandError, usageError } from "../command-error.ts";
import { parsePetId, readOption } from "../output/field-text.ts";
import type { Column } from "../output/table.ts";
import type { Session } from "./clients.ts";

const mostAtOnce = 100;

/** The most requests for entries. For more entries, one request reads the whole catalogue, which a server has cached. */
const mostRequests = 10;

/** The entries of pets, by pet id. There is none for a pet without one. */
export type Entries = Pick<ReadonlyMap<bigint, CatalogEntry | undefined>, "get">;

export const noEntries = (): Entries => new Map();

/** Reads entries of the catalogue. Unknown ids or SKUs have none. */
async function readEntries<T>(
  { catalog }: Session,
  values: Iterable<T>,
  requestOf: (some: T[]) => { petIds: bigint[] } | { sku: string[] },
): Promise<CatalogEntry[]> {
  const all = [...new Set(values)];
  const requests: Parameters<typeof catalog.listPets>[0][] = [];
  for (let at = 0; at < all.length; at += mostAtOnce) {
    requests.push(requestOf(all.slice(at, at + mostAtOnce)));
  }
  const wanted = requests.length > mostRequests ? [{}] : requests;
  const responses = await Promise.all(wanted.map((request) => catalog.listPets(request)));
  return responses.flatMap(({ entries }) => entries);
}

/** Reads the entries of pets, for their names. */
export async function entriesOf(session: Session, petIds: Iterable<bigint>): Promise<Entries> {
  const entries = await readEntries(session, petIds, (some) => ({ petIds: some }));
  return new Map(entries.map((entry) => [entry.petId, entry]));
}

/** Returns the pets that have SKUs. Unknown SKUs are left out. */
export async function petsBySku(
  session: Session,
  skus: Iterable<string>,
): Promise<ReadonlyMap<string, bigint>> {
  const entries = await readEntries(session, skus, (some) => ({ sku: some }));
  return new Map(entries.map(({ sku, petId }) => [sku, petId]));
}

/** The columns with the name and the SKU of a pet. @param petOf returns the pet of a row */
export function entryColumns<T>(entries: Entries, petOf: (row: T) => bigint): Column<T>[] {
  return [nameColumn(entries, petOf), { title: "SKU", of: (row) => entries.get(petOf(row))?.sku }];
}

/** The column with the name of a pet. @param petOf returns the pet of a row */
export function nameColumn<T>(entries: Entries, petOf: (row: T) => bigint): Column<T> {
  return { title: "NAME", of: (row) => entries.get(petOf(row))?.name, least: 8, isExtra: true };
}

const violationsOf = compileValidator(ListPetsRequestSchema);

/** Returns why no pet can have a SKU; undefined if one can. */
export function skuFault(sku: string): string | undefined {
  return violationsOf(create(ListPetsRequestSchema, { sku: [sku] }))[0]?.description;
}

export const unknownSku = (sku: string) => `no pet has the SKU ${quote(sku)}`;

export interface SkuOption {
  readonly sku?: string;
}

/** Makes a request, which may need an id that has to be read first. */
export type RequestMaker<Q> = (session: Session) => Promise<Q>;

/**
 * Returns a request about pets that a command line names by ids or SKUs. Checks their form at once, and looks the SKUs up
 * when it has a session.
 *
 * @param term the argument with the ids, such as `<pet-id>`
 * @throws CommandError if an id or a SKU is malformed; the request fails with one that names an unknown SKU
 */
export function requestOfPets<Q>(
  term: string,
  { ids, skus }: { readonly ids: readonly string[]; readonly skus: readonly string[] },
  requestOf: (petIds: bigint[]) => Q,
): RequestMaker<Q> {
  const petIds = ids.map((text) => readOption(term, parsePetId, text));
  for (const sku of skus) {
    const fault = skuFault(sku);
    if (fault !== undefined) throw usageError(`--sku: ${fault}`);
  }
  return async (session) => {
    const found = await petsBySku(session, skus);
    const unknown = skus.filter((sku) => !found.has(sku));
    if (unknown.length > 0) {
      throw new CommandError("not_found", `--sku: ${unknown.map(unknownSku).join("; ")}`);
    }
    return requestOf([...petIds, ...skus.flatMap((sku) => found.get(sku) ?? [])]);
  };
}

/** Like {@link requestOfPets}, about one pet, with other fields. @throws CommandError also if the id and the SKU are given */
export function requestOfPet<F extends object>(
  pet: string | undefined,
  { sku }: SkuOption,
  fields: F,
  term = "<pet-id>",
): RequestMaker<F & { readonly petId: bigint | undefined }> {
  if (pet !== undefined && sku !== undefined) {
    throw usageError(`${term}: give a pet id or --sku, but not both`);
  }
  const named = { ids: pet === undefined ? [] : [pet], skus: sku === undefined ? [] : [sku] };
  return requestOfPets(term, named, ([petId]) => ({ ...fields, petId }));
}
