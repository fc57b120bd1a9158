import type { DescEnum } from "@bufbuild/protobuf";
import type { Annotations } from "../../call/annotations.ts";
import { notPromise } from "../../call/guard.ts";
import type { JsonStyle } from "../json/style.ts";

/** Number of the enum's UNSPECIFIED value; undefined when it has none. */
export function unspecifiedNumber(desc: DescEnum): number | undefined {
  const zero = desc.value[0];
  return zero && /(^|_)UNSPECIFIED$/.test(zero.name) ? 0 : undefined;
}

/** Whether a request may contain an enum value. */
export function isForRequests(
  desc: DescEnum,
  number: number,
  { isOutputOnly }: Annotations,
): boolean {
  const value = desc.value[number];
  return value === undefined || !notPromise(isOutputOnly(value), "annotations.isOutputOnly");
}

/** Lists the names that a request may contain, for an error message. @param quote around each */
export function listForRequests(desc: DescEnum, style: JsonStyle, quote = ""): string {
  return [...enumNames(desc, style).toNumber]
    .filter(([, number]) => isForRequests(desc, number, style.annotations))
    .map(([name]) => quote + name + quote)
    .join(", ");
}

export function enumNames(desc: DescEnum, { shortEnumNames }: JsonStyle) {
  return shortEnumNames ? shortNames(desc) : wholeNames(desc);
}

/** Returns the full names of an enum's values. If a number has several names, the first is sent and all are accepted. */
export function wholeNames(desc: DescEnum) {
  const sent = desc.values.map(({ jsonName, number }) => [jsonName, number] as const);
  const declared = desc.values.map(({ name, number }) => [name, number] as const);
  return namesOf(desc, [...sent, ...declared]);
}

/**
 * Returns the names of an enum's values in lower case and without their common prefix, such as `available` for
 * PET_STATUS_AVAILABLE. The UNSPECIFIED value has no name.
 *
 * @throws Error when two values have the same short name
 */
export function shortNames(desc: DescEnum) {
  const prefix = desc.sharedPrefix?.length ?? 0;
  const unspecified = unspecifiedNumber(desc);
  return namesOf(
    desc,
    desc.values
      .filter(({ number }) => number !== unspecified)
      .map(({ name, number }) => [name.slice(prefix).toLowerCase(), number]),
  );
}

/** Returns the names in both directions. */
function namesOf(desc: DescEnum, entries: (readonly [string, number])[]) {
  const toNumber = new Map<string, number>();
  const toName = new Map<number, string>();
  for (const [name, number] of entries) {
    const other = toNumber.get(name);
    if (other !== undefined && other !== number) {
      throw new Error(`${desc.toString()}: two values have the short name ${name}`);
    }
    toNumber.set(name, number);
    if (!toName.has(number)) toName.set(number, name);
  }
  return { toNumber, toName };
}
