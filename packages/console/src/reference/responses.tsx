import { CodeBlock } from "./code-block.tsx";
import { InlineMarkdown, Markdown } from "./markdown.tsx";
import type { Response, Types } from "./model.ts";
import { FieldTable, TypeContent } from "./type-details.tsx";

/** Lists the responses by status. Only the first one is unfolded. */
export function Responses({
  responses,
  types,
  isRpc,
}: {
  responses: readonly Response[];
  types: Types;
  isRpc: boolean;
}) {
  return (
    <>
      {responses.map((response, at) => (
        <details key={response.status} class="response" open={at === 0}>
          <summary>
            <code class={`status status-${response.status[0]}`}>{response.status}</code>{" "}
            <InlineMarkdown text={firstSentence(response.description)} />
          </summary>
          <ResponseContent response={response} types={types} />
        </details>
      ))}
      <p class="muted">
        {isRpc
          ? "Errors have a code, a message, and details with the reason (google.rpc.ErrorInfo). "
          : ""}
        <a href="#/">Every response has the limit headers.</a>
      </p>
    </>
  );
}

function ResponseContent({ response, types }: { response: Response; types: Types }) {
  const { description, reasons, headers, type, example } = response;
  return (
    <div class="response-content">
      {description !== firstSentence(description) && <Markdown text={description} />}
      {reasons.length > 0 && (
        <p>
          <code>X-Error-Reason</code>:{" "}
          {reasons.map((reason) => (
            <span key={reason}>
              <code>{reason}</code>{" "}
            </span>
          ))}
        </p>
      )}
      {headers.length > 0 && <FieldTable fields={headers} types={types} title="Headers" />}
      {type && type !== "Error" && (
        <>
          <p class="muted">Body: {types[type]?.name ?? type}</p>
          <TypeContent name={type} types={types} within={[]} />
        </>
      )}
      {example && <CodeBlock text={example} label="Example" />}
    </div>
  );
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}
