import { useId, useState } from "preact/hooks";
import { CallResult } from "./call-result.tsx";
import { KeyField } from "./key-field.tsx";
import { InlineMarkdown } from "./markdown.tsx";
import type { Call, Parameter } from "./model.ts";
import { faultsOf, type Inputs, requestOf } from "./request.ts";
import { useCall } from "./use-call.ts";

/** A form that makes the call. It names wrong values before it sends them. */
export function TryCall(props: { call: Call; inputs: Inputs; onInputs(inputs: Inputs): void }) {
  const { call, inputs, onInputs } = props;
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const { state, run, stop } = useCall();
  if (call.notCallable) {
    return (
      <p class="muted">
        <InlineMarkdown text={call.notCallable} />
      </p>
    );
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const found = faultsOf(call, inputs);
    setFaults(found);
    if (Object.keys(found).length === 0) void run(requestOf(call, inputs));
  };
  const setValue = (name: string, value: string) =>
    onInputs({ ...inputs, values: { ...inputs.values, [name]: value } });
  const optional = call.parameters.filter(({ isRequired }) => !isRequired);
  const input = (parameter: Parameter) => (
    <ParameterInput
      key={parameter.name}
      parameter={parameter}
      value={inputs.values[parameter.name] ?? ""}
      fault={faults[parameter.name]}
      onValue={(value) => setValue(parameter.name, value)}
    />
  );
  return (
    <section class="try">
      <h2>Try it</h2>
      <KeyField />
      <form class="form" noValidate onSubmit={onSubmit}>
        {call.parameters.filter(({ isRequired }) => isRequired).map(input)}
        {optional.length > 0 && (
          <details open={optional.some(({ name }) => faults[name] !== undefined)}>
            <summary>Optional parameters</summary>
            <div class="form">{optional.map(input)}</div>
          </details>
        )}
        {call.body && (
          <BodyInput
            value={inputs.body}
            fault={faults.body}
            onValue={(body) => onInputs({ ...inputs, body })}
          />
        )}
        <div class="form-buttons">
          {call.isStream && state.isPending && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
          <button type="submit" class="button-main" disabled={state.isPending}>
            Send
          </button>
        </div>
      </form>
      <CallResult state={state} />
    </section>
  );
}

function ParameterInput(props: {
  parameter: Parameter;
  value: string;
  fault: string | undefined;
  onValue(value: string): void;
}) {
  const { parameter, value, fault, onValue } = props;
  const id = useId();
  const attributes = {
    id,
    "aria-describedby": `${id}-note`,
    "aria-invalid": fault !== undefined,
  };
  return (
    <div class="field">
      <label for={id}>{parameter.name}</label>
      {parameter.values ? (
        <select {...attributes} onChange={(event) => onValue(event.currentTarget.value)}>
          {["", ...parameter.values].map((each) => (
            <option key={each} value={each} selected={each === value}>
              {each}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          type="text"
          autocomplete="off"
          spellcheck={false}
          inputMode={parameter.isInteger ? "numeric" : "text"}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
      <p id={`${id}-note`} class="field-error">
        {fault && `${parameter.name} ${fault}.`}
      </p>
    </div>
  );
}

function BodyInput(props: {
  value: string;
  fault: string | undefined;
  onValue(value: string): void;
}) {
  const { value, fault, onValue } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Body</label>
      <textarea
        id={id}
        class="code"
        spellcheck={false}
        rows={Math.min(16, value.split("\n").length + 1)}
        value={value}
        aria-describedby={`${id}-note`}
        aria-invalid={fault !== undefined}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <p id={`${id}-note`} class="field-error">
        {fault && `The body ${fault}.`}
      </p>
    </div>
  );
}
