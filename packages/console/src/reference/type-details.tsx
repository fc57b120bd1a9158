import { useState } from "preact/hooks";
import { InlineMarkdown } from "./markdown.tsx";
import type { Field, Types } from "./model.ts";

interface TypeProps {
  readonly name: string;
  readonly types: Types;
  readonly within: readonly string[];
}

/** Whether a description says no more than the method, such as "Request of SetPlan." */
function isObvious(description: string): boolean {
  return /^(?:(?:Request|Response) of \w+\.)?$/.test(description);
}

/** A type that can be unfolded. Its content is rendered only then. */
function TypeDetails(props: TypeProps) {
  const [isOpen, setOpen] = useState(false);
  const type = props.types[props.name];
  if (!type) return null;
  return (
    <details class="type" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{type.name}</summary>
      {isOpen && <TypeContent {...props} />}
    </details>
  );
}

/** The description of a type, with its fields or values. */
export function TypeContent({ name, types, within }: TypeProps) {
  const type = types[name];
  if (!type) return null;
  const { description, fields, values, choices } = type;
  const inside = [...within, name];
  return (
    <>
      {!isObvious(description) && (
        <p>
          <InlineMarkdown text={description} />
        </p>
      )}
      {fields && <FieldTable fields={fields} types={types} title={type.name} within={inside} />}
      {values && (
        <ul class="values">
          {values.map((value) => (
            <li key={value.name}>
              <code>{value.name}</code> <InlineMarkdown text={value.description} />
            </li>
          ))}
        </ul>
      )}
      {choices?.map((choice) => (
        <TypeDetails key={choice} name={choice} types={types} within={inside} />
      ))}
    </>
  );
}

/** Lists fields, parameters or headers. A field with a type of its own can be unfolded. */
export function FieldTable({
  fields,
  types,
  title,
  within = [],
}: {
  fields: readonly (Field & { readonly in?: string })[];
  types: Types;
  title: string;
  /** The types that contain these fields. They are not unfolded again. */
  within?: readonly string[];
}) {
  if (fields.length === 0) return <p class="muted">None.</p>;
  return (
    <dl class="fields" aria-label={title}>
      {fields.map((field) => (
        <div key={`${field.in} ${field.name}`} class="field-row">
          <dt>
            <code class="field-name">{field.name}</code>{" "}
            <span class="muted">
              {field.type}
              {field.in && `, in ${field.in}`}
            </span>
            {field.isRequired && <strong class="required"> required</strong>}
          </dt>
          <dd>
            <InlineMarkdown text={field.description} />
            {field.bounds && (
              <p class="bounds">
                <code>{field.bounds}</code>
              </p>
            )}
            {field.refersTo && !within.includes(field.refersTo) && (
              <TypeDetails name={field.refersTo} types={types} within={within} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
