import type { DescEnum } from "@bufbuild/protobuf";

/**
 * The word for an enum value outside protobuf: its name in lower case, without the enum's prefix.
 * PET_STATUS_AVAILABLE is `available`.
 *
 * @returns the number as text when the enum has no such value
 */
export function enumWord(desc: DescEnum, number: number): string {
  return desc.value[number]?.localName.toLowerCase() ?? String(number);
}

/** The words of all values of an enum, save its zero value, which means unspecified. */
export function enumWords(desc: DescEnum): string[] {
  return desc.values
    .filter(({ number }) => number !== 0)
    .map(({ number }) => enumWord(desc, number));
}

/** @returns the number of the value with this word; undefined when there is none */
export function enumNumber(desc: DescEnum, word: string): number | undefined {
  return desc.values.find(({ number }) => number !== 0 && enumWord(desc, number) === word)?.number;
}
