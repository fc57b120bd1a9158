import { type Annotations, noAnnotations } from "../../call/annotations.ts";

/** The choices that a JSON encoding of protobuf messages leaves open. */
export interface JsonStyle {
  /**
   * Whether 64-bit integers are sent as strings, and strings are accepted for all numbers. Otherwise 64-bit integers are
   * JSON integers, read and written exactly.
   */
  readonly numbersInStrings: boolean;
  /**
   * Whether enum values have short names, such as `available` for PET_STATUS_AVAILABLE. Then the UNSPECIFIED value is
   * neither sent nor accepted. Otherwise full names are sent, and full names and numbers accepted.
   */
  readonly shortEnumNames: boolean;
  /** Whether fields without presence are sent even when they have their default value. */
  readonly emitDefaults: boolean;
  /** Whether `null` means that a field is not set. Otherwise it is an error. */
  readonly nullIsAbsent: boolean;
  /** Whether unknown members are skipped. Otherwise they are errors. */
  readonly ignoreUnknown: boolean;
  /** Whether errors name fields as the proto file does. Otherwise they name them as the client wrote them. */
  readonly protoPaths: boolean;
  /** What the contract's own options say. */
  readonly annotations: Annotations;
}

/** ProtoJSON (https://protobuf.dev/programming-guides/json/). */
export const protoJsonStyle: JsonStyle = {
  numbersInStrings: true,
  shortEnumNames: false,
  emitDefaults: false,
  nullIsAbsent: true,
  ignoreUnknown: false,
  protoPaths: false,
  annotations: noAnnotations,
};

/** ProtoJSON for RPC: a newer client can call an older server, and errors name fields as in the binary format. */
export const rpcJsonStyle: JsonStyle = { ...protoJsonStyle, ignoreUnknown: true, protoPaths: true };

/** A style for HTTP APIs: integers are JSON integers, enum names are short, default values are sent. */
export const httpJsonStyle: JsonStyle = {
  ...protoJsonStyle,
  numbersInStrings: false,
  shortEnumNames: true,
  emitDefaults: true,
  nullIsAbsent: false,
};
