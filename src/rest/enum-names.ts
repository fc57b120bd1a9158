import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { output_only } from "../../gen/rules/v1/rules_pb.ts";

/** The short names of an enum, both ways. */
export interface EnumNames {
  readonly toNumber: ReadonlyMap<string, number>;
  readonly toName: ReadonlyMap<number, string>;
}

/** Number of the value that stands for "not given", if the enum has one. */
export function unspecifiedNumber(desc: DescEnum): number | undefined {
  const zero = desc.value[0];
  return zero && /(^|_)UNSPECIFIED$/.test(zero.name) ? 0 : undefined;
}

/** Whether a request may have a value of an enum: not if it is rules.v1.output_only. */
export function isForRequests(desc: DescEnum, number: number): boolean {
  const value = desc.value[number];
  return value === undefined || !getOption(value, output_only);
}

/** The names that a request may have, in a list for messages. @param quote put around each */
export function listForRequests(desc: DescEnum, { toNumber }: EnumNames, quote = ""): string {
  return [...toNumber]
    .filter(([, number]) => isForRequests(desc, number))
    .map(([name]) => quote + name + quote)
    .join(", ");
}

/**
 * The whole names of an enum's values. Of several names for a number the first is sent, all are
 * accepted.
 */
export function wholeNames(desc: DescEnum): EnumNames {
  const sent = desc.values.map(({ jsonName, number }) => [jsonName, number] as const);
  const declared = desc.values.map(({ name, number }) => [name, number] as const);
  return namesOf(desc, [...sent, ...declared]);
}

/**
 * The names of an enum's values in lower case and without the prefix that all of them share, as in
 * `available` for PET_STATUS_AVAILABLE. The value that stands for "not given" has no name.
 *
 * @throws Error when two values have the same short name
 */
export function shortNames(desc: DescEnum): EnumNames {
  const prefix = desc.sharedPrefix?.length ?? 0;
  const unspecified = unspecifiedNumber(desc);
  return namesOf(
    desc,
    desc.values
      .filter(({ number }) => number !== unspecified)
      .map(({ name, number }) => [name.slice(prefix).toLowerCase(), number]),
  );
}

function namesOf(desc: DescEnum, entries: (readonly [string, number])[]): EnumNames {
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
