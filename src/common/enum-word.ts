import type { DescEnum, EnumShape } from "@bufbuild/protobuf";

/**
 * Returns the text of an enum value outside protobuf: its name in lower case, without the enum's prefix, such as `available`.
 * If the enum has no such value, as from a newer server, the text is `unknown (7)`.
 */
export function enumWord(desc: DescEnum, number: number): string {
  return desc.value[number]?.localName.toLowerCase() ?? `unknown (${number})`;
}

/** Returns the texts of all values of an enum except the zero value, which means unspecified. */
export function enumWords(desc: DescEnum): string[] {
  return desc.values
    .filter(({ number }) => number !== 0)
    .map(({ number }) => enumWord(desc, number));
}

/** Returns the number of the value with this text; undefined when no value has it. */
export function enumNumber<D extends DescEnum>(desc: D, word: string): EnumShape<D> | undefined {
  const value = desc.values.find(({ number }) => number !== 0 && enumWord(desc, number) === word);
  return value?.number as EnumShape<D> | undefined;
}
