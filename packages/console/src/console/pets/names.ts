import { createStore } from "../shared/store.ts";

/** How people know a pet. Each is empty if it has none. */
export interface PetNames {
  readonly name: string;
  readonly sku: string;
}

/** The names and SKUs of all pets. */
export interface Names {
  /** By pet. Pets without a name and SKU are not in it. */
  readonly byPet: ReadonlyMap<bigint, KnownNames>;
  readonly bySku: ReadonlyMap<string, bigint>;
  /** Whether they were read. */
  readonly isLoaded: boolean;
}

interface KnownNames extends PetNames {
  /** Name and SKU in lower case, each on a line of its own, with line breaks around them. */
  readonly searchText: string;
}

const noNames: PetNames = { name: "", sku: "" };
export const unreadNames: Names = { byPet: new Map(), bySku: new Map(), isLoaded: false };

/** The names of the session. They stay when no view shows them. */
export const names = createStore<Names>(unreadNames);

/** Returns the names of catalogue entries. */
export function namesOf(entries: readonly (PetNames & { readonly petId: bigint })[]): Names {
  const byPet = new Map<bigint, KnownNames>();
  const bySku = new Map<string, bigint>();
  for (const { petId, name, sku } of entries) {
    if (name !== "" || sku !== "") byPet.set(petId, knownNames({ name, sku }));
    if (sku !== "") bySku.set(sku, petId);
  }
  return { byPet, bySku, isLoaded: true };
}

/** Returns the names of a pet in the form in which they are kept. */
export function knownNames({ name, sku }: PetNames): KnownNames {
  return { name, sku, searchText: `\n${name}\n${sku}\n`.toLowerCase() };
}

/** Returns the names of a pet. */
export function namesOfPet(petId: bigint, { byPet } = names.get()): PetNames {
  return byPet.get(petId) ?? noNames;
}

/**
 * Returns how a pet is shown: by its name, else its SKU, else its id, and by the others as the detail, such as
 * `DO-301 · pet 3`. It is empty if the pet has an id alone.
 */
export function petParts(petId: bigint, known = names.get()) {
  const { name, sku } = namesOfPet(petId, known);
  const title = name || sku;
  if (title === "") return { title: String(petId), detail: "" };
  return { title, detail: `${name && sku && `${sku} · `}pet ${petId}` };
}

/** Names a pet in a sentence: `Rex (pet 3)`, or `pet 3`. */
export function petText(petId: bigint): string {
  const { title, detail } = petParts(petId);
  return detail === "" ? `pet ${title}` : `${title} (pet ${petId})`;
}

/** The same at the beginning of a sentence: `Pet 3`. */
export function petSubject(petId: bigint): string {
  const { title, detail } = petParts(petId);
  return detail === "" ? `Pet ${title}` : petText(petId);
}

/** Reads an id of a pet or an order; undefined if the text is none. */
export function idOf(text: string): bigint | undefined {
  return /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : undefined;
}

/** Returns the pet that has a text as its SKU, else the one whose id it is; undefined if it is neither. */
export function petOfCode({ bySku }: Names, code: string): bigint | undefined {
  return bySku.get(code) ?? idOf(code);
}

/** Returns a function that says whether a text means a pet: the one that has it as SKU or id, else those that contain it. */
export function petFilter(known: Names, text: string): (petId: bigint) => boolean {
  const exact = petOfCode(known, text);
  if (exact !== undefined) return (petId) => petId === exact;
  const search = text.toLowerCase();
  return (petId) => known.byPet.get(petId)?.searchText.includes(search) ?? false;
}
