import { Markdown } from "./markdown.tsx";
import type { Reference } from "./model.ts";
import { QuickStart } from "./quick-start.tsx";
import { FieldTable } from "./type-details.tsx";

/** Shows the first call, then explains what all methods share. */
export function Introduction({ reference }: { reference: Reference }) {
  const { introduction, version, commonHeaders } = reference;
  return (
    <>
      <h1>Inventory Service API {version}</h1>
      <QuickStart reference={reference} />
      <h2>What all methods share</h2>
      <div class="prose">
        <Markdown text={introduction} />
        <p>
          Every method can be called over gRPC, gRPC-Web and Connect. Some also have a path for JSON
          over HTTP.
        </p>
      </div>
      <h2 id="headers">Headers of every response</h2>
      <p>The response to every counted request has these headers, whatever its status.</p>
      <FieldTable fields={commonHeaders} types={{}} title="Header" />
    </>
  );
}
