import type { Stores } from "../../src/stores/stores.ts";

/** Returns the stores by their names, without what concerns all of them. */
export function storesIn(stores: Stores): readonly (readonly [name: string, store: object])[] {
  return Object.entries(stores).filter(([, value]) => typeof value === "object");
}

/** Returns the names of all methods of a store, which is an object or an instance of a class. */
export function methodNamesOf(store: object): readonly string[] {
  const owners = [store, Object.getPrototypeOf(store)].filter((each) => each !== Object.prototype);
  return owners
    .flatMap(Object.getOwnPropertyNames)
    .filter((name) => name !== "constructor" && Reflect.get(store, name) instanceof Function);
}
