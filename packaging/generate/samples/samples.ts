import {
  type DescField,
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonObject,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { PetService } from "../../../gen/pets/v1/pets_pb.ts";
import { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import type { Language, Writer, WrittenField } from "./language.ts";
import { python } from "./python.ts";
import { sampleRequest } from "./requests.ts";
import { typescript } from "./typescript.ts";

/** The languages of the client packages, by the names that the reference page shows. */
export const sampleLanguages: Readonly<Record<string, Language>> = {
  Go: go,
  Python: python,
  Java: java,
  TypeScript: typescript,
};

/** Returns whether the client packages have a method. They leave out deprecated services and uploads. */
export function clientsHave(method: DescMethod): boolean {
  return method.parent !== PetService && method.methodKind !== "client_streaming";
}

/** Returns programs that call a method, by language. None if the client packages do not have it. */
export function samplesOf(method: DescMethod): Readonly<Record<string, string>> {
  if (!clientsHave(method)) return {};
  return Object.fromEntries(
    Object.entries(sampleLanguages).map(([name, language]) => [name, sampleIn(language, method)]),
  );
}

/** Returns a program that calls a method. */
export function sampleIn(language: Language, method: DescMethod): string {
  const imports = new Set(language.imports);
  const body = bodyIn(language, method, imports);
  return language.program({ imports: [...imports], body });
}

function bodyIn(language: Language, method: DescMethod, imports: Set<string>): string {
  if (method.methodKind === "server_streaming") return language.watch;
  if (method === UsageService.method.getUsage) return language.usage;
  const writer = language.writerWith(imports);
  return language.call(method, writeMessage(method.input, sampleRequest(method), writer));
}

/** Writes a message, given as ProtoJSON, in a language. Strings are the same in all of them. */
function writeMessage(desc: DescMessage, json: JsonObject, writer: Writer): string {
  return writeReflected(reflect(desc, fromJson(desc, json)), writer);
}

function writeReflected(message: ReflectMessage, writer: Writer): string {
  const written = message.fields
    .filter((field) => message.isSet(field))
    .map((field) => writeField(message, field, writer));
  return writer.message(message.desc, written);
}

function writeField(message: ReflectMessage, field: DescField, writer: Writer): WrittenField {
  if (field.fieldKind !== "list") {
    return { field, value: writeValue(field, message.get(field), writer) };
  }
  const elements = [...message.get(field)].map((value) => writeValue(field, value, writer));
  return { field, value: writer.list(elements, field), elements };
}

/** @throws Error for a value that samples cannot have, such as bytes */
function writeValue(field: DescField, value: unknown, writer: Writer): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean") return writer.boolean(value);
  if (field.enum && typeof value === "number") return writer.enumValue(field.enum, value);
  if (typeof value === "number" || typeof value === "bigint") {
    return writer.integer(BigInt(value), field);
  }
  if (field.message) return writeReflected(value as ReflectMessage, writer);
  throw new Error(`${field}: samples cannot have such a value`);
}
