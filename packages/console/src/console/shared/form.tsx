import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { compileValidator } from "../../../../../src/contract/validator.ts";
import type { CallFault } from "./call-fault.ts";
import type { Effect } from "./effect.ts";
import { EffectList, LargeEffectsDialog } from "./effects.tsx";
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
  /** Returns what a request would change. The form shows it, and asks again before a large change. */
  readonly effects?: (request: MessageShape<Desc>) => readonly Effect[];
  /** The text of the submit button. */
  readonly submit: string;
  readonly onCancel?: () => void;
  /** Whether the submit button has the color of a dangerous action. */
  readonly isDangerous?: boolean;
  /** Returns more about an error of the server, which its banner shows. */
  readonly aboutFault?: (fault: CallFault) => ComponentChildren;
  /** A banner at the top, unless there is an error. */
  readonly notice?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/**
 * A form that sends one request. It names wrong values before they are sent, by the bounds of the contract, shows what the
 * request would change, asks again before a large change, and shows the errors of the server. While a call is under way,
 * it cannot be submitted again.
 */
export function Form<Desc extends DescMessage>(props: FormProps<Desc>) {
  const { schema, read, send, effects, submit, onCancel, isDangerous, children } = props;
  const { aboutFault, notice } = props;
  const form = useRef<HTMLFormElement>(null);
  const idempotencyKey = useRef<string>(undefined);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  /** The request of the values that were typed last. */
  const [draft, setDraft] = useState<MessageShape<Desc>>();
  const [asked, setAsked] = useState<{ request: MessageShape<Desc>; large: readonly Effect[] }>();
  const action = useAction(async (request: MessageShape<Desc>) => {
    await send(request);
    idempotencyKey.current = undefined;
  });

  // A banner is above the button that was pressed, and can be out of view.
  useEffect(() => {
    if (action.isPending) return;
    form.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: "nearest" });
  }, [action.isPending]);

  /** Reads the values. The same ones have the same idempotency key. */
  const check = (form: HTMLFormElement): Checked<Desc> => {
    idempotencyKey.current ??= randomId();
    const key = idempotencyKey.current;
    const incomplete = incompleteField(form);
    if (incomplete) return { faults: { [incomplete.name]: "is incomplete" } };
    return checkForm(schema, () => read(valuesOf(new FormData(form)), key));
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!form.current) return;
    const { request, faults } = check(form.current);
    setFaults(faults);
    action.clear();
    if (!request) return focusField(form.current, Object.keys(faults)[0]);
    const large = effects?.(request).filter(({ isLarge }) => isLarge) ?? [];
    if (large.length === 0) return void action.run(request);
    // The focus returns to the number that can be wrong.
    form.current.querySelector<HTMLElement>("[data-number]")?.focus();
    if (!action.isPending) setAsked({ request, large });
  };
  const onInput = () => {
    // Other values are another request.
    idempotencyKey.current = undefined;
    if (effects && form.current) setDraft(check(form.current).request);
  };

  return (
    <form ref={form} class="form" noValidate onSubmit={onSubmit} onInput={onInput}>
      {action.fault ? (
        <ErrorBanner fault={action.fault}>{aboutFault?.(action.fault)}</ErrorBanner>
      ) : (
        notice
      )}
      <FieldErrors.Provider value={{ ...action.fault?.fields, ...faults }}>
        {children}
      </FieldErrors.Provider>
      {effects && <EffectList effects={draft ? effects(draft) : []} />}
      <div class="form-buttons">
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {isDangerous ? "Keep" : "Cancel"}
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
      {asked && (
        <LargeEffectsDialog
          effects={asked.large}
          submit={submit}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            void action.run(asked.request);
          }}
        />
      )}
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
  // It can have the focus already, with the caret anywhere.
  if (field instanceof HTMLInputElement && field.type === "text") field.select();
}
