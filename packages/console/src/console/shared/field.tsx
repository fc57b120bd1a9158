import { type ComponentChildren, createContext } from "preact";
import { useContext, useId } from "preact/hooks";
import { readerZone } from "../text/time-text.ts";
import { useSelectNumberOnFocus, useSelectOnFocus } from "./use-select-on-focus.ts";

/** What is wrong with the fields of a form, by the field's name in the proto. */
export const FieldErrors = createContext<Readonly<Record<string, string>>>({});

interface FieldProps {
  readonly label: string;
  /** The name of the field in the proto, such as `update.quantity`. */
  readonly name: string;
  readonly hint?: string;
}

/** Connects a label, a hint and an error with an input. */
function Field(
  props: FieldProps & {
    control(attributes: {
      id: string;
      name: string;
      "aria-describedby": string;
      "aria-invalid": boolean;
    }): ComponentChildren;
  },
) {
  const { label, name, hint, control } = props;
  const errors = useContext(FieldErrors);
  // A text field can hold a list. Then the error names the element, such as `allowed_addresses[0]`.
  const element = Object.keys(errors).find((each) => each.startsWith(`${name}[`));
  const error = errors[name] ?? (element === undefined ? undefined : errors[element]);
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, name, "aria-describedby": `${id}-note`, "aria-invalid": error !== undefined })}
      <p id={`${id}-note`} class={error ? "field-error" : "field-hint"}>
        {error ? `${label} ${error}.` : hint}
      </p>
    </div>
  );
}

/** An input of one line. */
export function TextField(
  props: FieldProps & {
    value?: string;
    /** Called when the user leaves the field with another value. */
    onChange?(value: string): void;
  },
) {
  const { value, onChange, ...field } = props;
  const onFocus = useSelectOnFocus();
  return (
    <Field
      {...field}
      control={(attributes) => (
        <input
          {...attributes}
          {...onFocus}
          type="text"
          defaultValue={value}
          onChange={(event) => onChange?.(event.currentTarget.value.trim())}
          autocomplete="off"
        />
      )}
    />
  );
}

/** An input of a number. Typing replaces its value. */
export function NumberField(
  props: FieldProps & {
    value?: number | bigint | string;
    /** Whether it can be negative. Keyboards for digits can lack the minus sign. */
    isSigned?: boolean;
    /** Called when the user leaves the field with another value. */
    onChange?(value: string): void;
  },
) {
  const { value, isSigned, onChange, ...field } = props;
  const onFocus = useSelectNumberOnFocus();
  return (
    <Field
      {...field}
      control={(attributes) => (
        <input
          {...attributes}
          {...onFocus}
          type="text"
          data-number
          defaultValue={value === undefined ? undefined : String(value)}
          inputMode={isSigned ? "text" : "numeric"}
          onChange={(event) => onChange?.(event.currentTarget.value.trim())}
          autocomplete="off"
        />
      )}
    />
  );
}

/** An input of a day, or of a day and a time, in the zone of the reader, which its hint names. */
export function DateField(
  props: FieldProps & { hasTime?: boolean; value?: string; onChange?(value: string): void },
) {
  const { hasTime, hint = "", value, onChange, ...field } = props;
  return (
    <Field
      {...field}
      hint={`${hint} In your time zone, ${readerZone()}.`.trimStart()}
      control={(attributes) => (
        <input
          {...attributes}
          type={hasTime ? "datetime-local" : "date"}
          defaultValue={value}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        />
      )}
    />
  );
}

/** A choice of one value. */
export function SelectField(
  props: FieldProps & {
    value?: string;
    options: readonly (readonly [value: string, text: ComponentChildren])[];
    onChange?(value: string): void;
  },
) {
  const { value, options, onChange, ...field } = props;
  return (
    <Field
      {...field}
      control={(attributes) => (
        <select {...attributes} onChange={(event) => onChange?.(event.currentTarget.value)}>
          {options.map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  );
}

/** A choice of several values. Reports the error of the whole list. */
export function CheckboxField(
  props: FieldProps & {
    options: readonly (readonly [value: string, text: string])[];
    chosen?: readonly string[];
  },
) {
  const { label, name, hint, options, chosen = [] } = props;
  const error = useContext(FieldErrors)[name];
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      {options.map(([value, text]) => (
        <label key={value} class="checkbox">
          <input
            type="checkbox"
            name={name}
            value={value}
            defaultChecked={chosen.includes(value)}
          />
          {text}
        </label>
      ))}
      <p class={error ? "field-error" : "field-hint"}>{error ? `${label} ${error}.` : hint}</p>
    </fieldset>
  );
}
