import {
  type DescEnum,
  type DescField,
  type DescMessage,
  hasOption,
  type Message,
} from "@bufbuild/protobuf";
import { acceptedIntegers, optionOf, quote, rangeText } from "connect-gateway/call";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.ts";
import { type Bounds, bounds as boundsOption } from "../../gen/rules/v1/rules_pb.ts";
import { enumWord } from "../common/enum-word.ts";
import { acceptedValues, rpcAnnotations } from "./annotations.ts";
import { patternText } from "./pattern-text.ts";
import { timeFaults } from "./time-range.ts";

/** A field with an invalid value, as in google.rpc.BadRequest. */
export interface FieldViolation {
  /** Path of the field from the request message, in proto names: `update.quantity`, `items[3].pet_id`. */
  readonly field: string;
  /** What the value must be, such as `must not be 0`. Reads on after the name of the field. */
  readonly description: string;
}

/** Appends the violations of a message to `found`. `path` is the prefix of the paths of its fields. */
type Check = (message: Message, path: string, found: FieldViolation[]) => void;

/** Appends the violations of one value to `found`. */
type ValueCheck = (value: unknown, path: string, found: FieldViolation[]) => void;

const checks = new WeakMap<DescMessage, Check>();

/**
 * Compiles the rules of a message type, including those of nested messages: required fields (google.api.field_behavior),
 * bounds (rules.v1.bounds), enum values that are defined and not output-only (rules.v1.output_only), and the ranges of
 * timestamps and durations.
 *
 * @returns a function that returns the violations of a message
 * @throws Error if a bound does not fit the type of its field
 */
export function compileValidator(desc: DescMessage): (message: Message) => FieldViolation[] {
  const check = checkOf(desc);
  return (message) => {
    const found: FieldViolation[] = [];
    check(message, "", found);
    return found;
  };
}

function checkOf(desc: DescMessage): Check {
  const known = checks.get(desc);
  if (known) return known;
  let fields: Check[] = [];
  const check: Check = (message, path, found) => {
    for (const field of fields) field(message, path, found);
  };
  // Registered before the fields are compiled, because a message can contain itself.
  checks.set(desc, check);
  fields = desc.fields.map(fieldCheck).filter((field) => field !== undefined);
  return check;
}

function fieldCheck(field: DescField): Check | undefined {
  const isRequired = optionOf(field, field_behavior).includes(FieldBehavior.REQUIRED);
  const bounds = hasOption(field, boundsOption) ? optionOf(field, boundsOption) : undefined;
  const check = valueCheck(field, isRequired ? "required" : "optional", bounds);
  if (!isRequired && !check) return undefined;
  return (message, prefix, found) => {
    const value = read(message, field);
    const path = prefix + field.name;
    if (isAbsent(value)) {
      if (isRequired) {
        found.push({ field: path, description: "is required" });
        return;
      }
      if (value === undefined) return;
    }
    check?.(value, path, found);
  };
}

/** Whether a value is absent. Numbers are never absent: a zero out of bounds is reported as such. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function read(message: Message, field: DescField): unknown {
  const record = message as unknown as Record<string, unknown>;
  if (!field.oneof) return record[field.localName];
  const chosen = record[field.oneof.localName] as { case?: string; value?: unknown };
  return chosen.case === field.localName ? chosen.value : undefined;
}

type Presence = "required" | "optional";

function valueCheck(
  field: DescField,
  presence: Presence,
  bounds: Bounds | undefined,
): ValueCheck | undefined {
  if (field.fieldKind === "list") return listCheck(field, bounds);
  if (field.fieldKind !== "map") return singleCheck(field, presence, bounds);
  if (bounds) throw new Error(`${field}: bounds are not supported on map fields`);
  return undefined;
}

/** Returns the check of a single value: of a field, or of an element of a list. */
function singleCheck(
  field: DescField,
  presence: Presence,
  bounds: Bounds | undefined,
): ValueCheck | undefined {
  if (field.message) return messageCheck(field.message);
  if (field.enum) return enumCheck(field.enum, presence);
  return bounds && scalarCheck(field, bounds);
}

function messageCheck(desc: DescMessage): ValueCheck | undefined {
  const timeFault = timeFaults.get(desc.typeName);
  if (timeFault) {
    return (value, path, found) => {
      const description = timeFault(value as Message);
      if (description) found.push({ field: path, description });
    };
  }
  if (desc.typeName.startsWith("google.protobuf.")) return undefined;
  const check = checkOf(desc);
  return (value, path, found) => check(value as Message, `${path}.`, found);
}

function enumCheck(desc: DescEnum, presence: Presence): ValueCheck {
  const defined = new Set(desc.values.map(({ number }) => number));
  const accepted = new Set(acceptedValues(desc).map(({ number }) => number));
  const named = acceptedValues(desc).filter(({ number }) => number !== 0);
  const names = named.map(({ name }) => name).join(", ");
  const words = named.map(({ number }) => enumWord(desc, number)).join(", ");
  return (value, path, found) => {
    const number = value as number;
    if (presence === "required" && number === 0) {
      found.push({ field: path, description: "is required" });
    } else if (!accepted.has(number)) {
      // Only RPC has numbers without a name, and it accepts no words.
      const description = defined.has(number)
        ? `cannot be ${enumWord(desc, number)}: must be one of ${words}`
        : `has no value ${number}: must be one of ${names}`;
      found.push({ field: path, description });
    }
  };
}

function listCheck(field: DescField, bounds: Bounds | undefined): ValueCheck {
  const element = singleCheck(field, "required", bounds);
  const { minItems, maxItems } = bounds ?? {};
  const repeated = bounds && repeatCheck(field, bounds);
  return (value, path, found) => {
    const list = value as readonly unknown[];
    if (minItems !== undefined && list.length < minItems) {
      found.push({
        field: path,
        description: `must have ${rangeText({ min: minItems }, minItems === 1 ? "element" : "elements")}`,
      });
    }
    if (maxItems !== undefined && list.length > maxItems) {
      found.push({ field: path, description: `must have at most ${maxItems} elements` });
      return;
    }
    if (element) {
      list.forEach((entry, index) => {
        element(entry, `${path}[${index}]`, found);
      });
    }
    repeated?.(value, path, found);
  };
}

/** Reports the first element that repeats an earlier one, or its value in a field; undefined when elements may repeat. */
function repeatCheck(field: DescField, { unique, uniqueBy }: Bounds): ValueCheck | undefined {
  if (unique && field.message) {
    throw new Error(`${field}: rules.v1.bounds.unique is not supported on messages`);
  }
  if (uniqueBy === undefined) return unique ? repeats((element) => element, "") : undefined;
  const key = field.message?.fields.find(({ name }) => name === uniqueBy);
  if (key?.fieldKind !== "scalar") {
    throw new Error(`${field}: rules.v1.bounds.unique_by does not name a scalar of its elements`);
  }
  return repeats((element) => read(element as Message, key), `.${uniqueBy}`);
}

function repeats(keyOf: (element: unknown) => unknown, suffix: string): ValueCheck {
  return (value, path, found) => {
    const list = value as readonly unknown[];
    // Most lists are empty, and a Map costs 200 bytes.
    if (list.length < 2) return;
    const firsts = new Map<unknown, number>();
    for (const [index, element] of list.entries()) {
      const key = keyOf(element);
      const first = firsts.getOrInsert(key, index);
      if (first !== index) {
        const shown = typeof key === "string" ? quote(key) : key;
        const description = `must be unique: the element at index ${first} has the value ${shown}, too`;
        found.push({ field: `${path}[${index}]${suffix}`, description });
        return;
      }
    }
  };
}

function scalarCheck(field: DescField, bounds: Bounds): ValueCheck {
  const range = acceptedIntegers(field, rpcAnnotations);
  const { minLength, maxLength, notZero } = bounds;
  const pattern =
    bounds.pattern === undefined ? undefined : new RegExp(`^(?:${bounds.pattern})$`, "u");
  const patternFault = patternText(bounds.pattern ?? "") ?? "is malformed";
  return (value, path, found) => {
    const description = typeof value === "string" ? textFault(value) : numberFault(value);
    if (description) found.push({ field: path, description });
  };

  function numberFault(value: unknown): string | undefined {
    if (!range || (typeof value !== "number" && typeof value !== "bigint")) return undefined;
    if (value < range.min || value > range.max) return `must be ${rangeText(range)}`;
    return notZero && (value === 0 || value === 0n) ? "must not be 0" : undefined;
  }

  function textFault(value: string): string | undefined {
    // Lengths are in code points. They are counted only if the number of UTF-16 units does not decide.
    if (minLength !== undefined && [...value.slice(0, minLength * 2)].length < minLength) {
      return `must have ${rangeText({ min: minLength }, "characters")}`;
    }
    if (maxLength !== undefined && value.length > maxLength) {
      if (value.length > maxLength * 2 || [...value].length > maxLength) {
        return `must have ${rangeText({ max: maxLength }, "characters")}`;
      }
    }
    return pattern && !pattern.test(value) ? patternFault : undefined;
  }
}
