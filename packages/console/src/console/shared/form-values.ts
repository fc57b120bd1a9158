/** A value of a form that cannot be read. */
export class FieldError extends Error {
  /** The name of the field in the proto. */
  readonly field: string;

  constructor(field: string, description: string) {
    super(description);
    this.field = field;
  }
}

/** The values of a form, by the names of the proto's fields. */
export interface FormValues {
  /** Returns a text without spaces around it; empty if there is none. */
  text(field: string): string;
  /** Returns an integer; undefined if the field is empty. @throws FieldError if it is not an integer */
  integer(field: string): number | undefined;
  /** Returns an integer of 64 bits; undefined if the field is empty. @throws FieldError if it is not an integer */
  bigint(field: string): bigint | undefined;
  /** Returns all values of checkboxes that share a name. */
  all(field: string): string[];
}

/** Reads the values of a form. */
export function valuesOf(data: FormData): FormValues {
  const text = (field: string) => String(data.get(field) ?? "").trim();
  const bigint = (field: string) => {
    const value = text(field);
    if (value === "") return undefined;
    if (!/^[+-]?\d+$/.test(value)) throw new FieldError(field, "must be a whole number");
    return BigInt(value.replace("+", ""));
  };
  return {
    text,
    bigint,
    integer(field) {
      const value = bigint(field);
      return value === undefined ? undefined : Number(value);
    },
    all: (field) => data.getAll(field).map(String),
  };
}
