import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { compileValidator } from "../../../contract/validator.ts";
import { ErrorBanner } from "./error-banner.tsx";
import { FieldErrors } from "./field.tsx";
import { FieldError, type FormValues, valuesOf } from "./form-values.ts";
import { randomId } from "./random-id.ts";
import { useAction } from "./use-action.ts";

export interface FormProps<Desc extends DescMessage> {
  /** The request message. Its bounds are checked before it is sent. */
  readonly schema: Desc;
  /**
   * Makes the request from the values of the form.
   *
   * @param idempotencyKey the same for every attempt to send the same values
   */
  readonly read: (values: FormValues, idempotencyKey: string) => MessageInitShape<Desc>;
  /** Sends the request. */
  readonly send: (request: MessageShape<Desc>) => Promise<void>;
  /** The text of the submit button. */
  readonly submit: string;
  readonly onCancel?: () => void;
  /** Whether the submit button has the color of a dangerous action. */
  readonly isDangerous?: boolean;
  /** A banner at the top, unless there is an error. */
  readonly notice?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/**
 * A form that sends one request. It names wrong values before they are sent, by the bounds of the contract, and shows the
 * errors of the server. While a call is under way, it cannot be submitted again.
 */
export function Form<Desc extends DescMessage>(props: FormProps<Desc>) {
  const { schema, read, send, submit, onCancel, isDangerous, notice, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const idempotencyKey = useRef<string>(undefined);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const action = useAction(async (request: MessageShape<Desc>) => {
    await send(request);
    idempotencyKey.current = undefined;
  });

  // A banner is above the button that was pressed, and can be out of view.
  useEffect(() => {
    if (action.isPending) return;
    form.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: "nearest" });
  }, [action.isPending]);

  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!form.current) return;
    idempotencyKey.current ??= randomId();
    const key = idempotencyKey.current;
    const values = valuesOf(new FormData(form.current));
    const incomplete = incompleteField(form.current);
    const checked: Checked<Desc> = incomplete
      ? { faults: { [incomplete.name]: "is incomplete" } }
      : checkForm(schema, () => read(values, key));
    setFaults(checked.faults);
    action.clear();
    if (checked.request) void action.run(checked.request);
    else focusField(form.current, Object.keys(checked.faults)[0]);
  };
  const onInput = () => {
    // Other values are another request.
    idempotencyKey.current = undefined;
  };

  return (
    <form ref={form} class="form" noValidate onSubmit={onSubmit} onInput={onInput}>
      {action.fault ? <ErrorBanner fault={action.fault} /> : notice}
      <FieldErrors.Provider value={{ ...action.fault?.fields, ...faults }}>
        {children}
      </FieldErrors.Provider>
      <div class="form-buttons">
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button
          type="submit"
          class={isDangerous ? "button-danger" : "button-main"}
          disabled={action.isPending}
        >
          {submit}
        </button>
      </div>
    </form>
  );
}

interface Checked<Desc extends DescMessage> {
  readonly request?: MessageShape<Desc>;
  /** What is wrong with the values, by field. */
  readonly faults: Readonly<Record<string, string>>;
}

function checkForm<Desc extends DescMessage>(
  schema: Desc,
  read: () => MessageInitShape<Desc>,
): Checked<Desc> {
  try {
    const request = create(schema, read());
    const violations = compileValidator(schema)(request);
    if (violations.length === 0) return { request, faults: {} };
    return { faults: Object.fromEntries(violations.map((each) => [each.field, each.description])) };
  } catch (error) {
    if (error instanceof FieldError) return { faults: { [error.field]: error.message } };
    throw error;
  }
}

/** Finds a date or time of which only parts were typed. Its value is the same as that of an empty one. */
function incompleteField(form: HTMLFormElement): HTMLInputElement | undefined {
  return [...form.querySelectorAll("input")].find(({ validity }) => validity.badInput);
}

function focusField(form: HTMLFormElement, name: string | undefined): void {
  const field = name === undefined ? null : form.elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}
