import { InlineMarkdown } from "./markdown.tsx";
import type { Types } from "./model.ts";
import type { Field } from "./openapi.ts";
import { TypeDetails } from "./type-details.tsx";

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
