import { namesOfPet } from "../../../pets/names.ts";
import { readNames } from "../../../pets/use-names.ts";
import { liveStock } from "../../live-stock.ts";
import type { KnownPet } from "./check-file.ts";

/** Returns all pets of the stock with their names, by id. @throws ConnectError if the names cannot be read */
export async function readKnownPets(): Promise<ReadonlyMap<bigint, KnownPet>> {
  await readNames();
  const { items } = liveStock.get();
  return new Map(items.map((item) => [item.petId, { ...namesOfPet(item.petId), ...item }]));
}
