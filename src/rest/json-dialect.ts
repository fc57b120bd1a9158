/** How JSON says what protobuf means, where there is more than one way. */
export interface JsonDialect {
  /**
   * Whether 64-bit integers are sent as strings, and any number is accepted in a string. Otherwise they
   * are JSON integers both ways, digit by digit, never by way of a double.
   */
  readonly numbersInStrings: boolean;
  /**
   * Whether an enum value is its name in lower case without the enum's own name, `available` for
   * PET_STATUS_AVAILABLE, and a zero value named UNSPECIFIED neither sent nor accepted. Otherwise it is
   * its whole name, or its number when it comes.
   */
  readonly shortEnumNames: boolean;
  /** Whether fields without presence are sent when they have their default value. */
  readonly emitDefaults: boolean;
  /** Whether `null` for a field means that it is not given. Otherwise it is refused. */
  readonly nullIsAbsent: boolean;
}

/** ProtoJSON as it stands: https://protobuf.dev/programming-guides/json/ */
export const protoJsonDialect: JsonDialect = {
  numbersInStrings: true,
  shortEnumNames: false,
  emitDefaults: false,
  nullIsAbsent: true,
};

/** The JSON of an HTTP interface made for people: exact integers, short names, nothing implied. */
export const httpJsonDialect: JsonDialect = {
  numbersInStrings: false,
  shortEnumNames: true,
  emitDefaults: true,
  nullIsAbsent: false,
};
