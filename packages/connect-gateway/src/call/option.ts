import { type DescExtension, type ExtensionValueShape, getOption } from "@bufbuild/protobuf";
import { getOrInsert } from "./get-or-insert.ts";

const known = new WeakMap<object, WeakMap<DescExtension, unknown>>();

/**
 * Returns an option of a descriptor, or its default. The same as `getOption` of protobuf-es, which takes 12 µs in each
 * call, even if the descriptor does not have the option. So this function remembers each value.
 */
export const optionOf: typeof getOption = (desc, option) => {
  const values = getOrInsert(known, desc, () => new WeakMap());
  const value = getOrInsert(values, option, () => getOption(desc, option));
  return value as ExtensionValueShape<typeof option>;
};
