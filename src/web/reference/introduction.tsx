import { FieldTable } from "./field-table.tsx";
import { Markdown } from "./markdown.tsx";
import type { Reference } from "./model.ts";

/** Explains what all methods share. */
export function Introduction({ reference }: { reference: Reference }) {
  const { introduction, version, commonHeaders } = reference;
  return (
    <>
      <h1>Inventory Service API {version}</h1>
      <div class="prose">
        <Markdown text={introduction} />
        <p>
          Every method can be called over gRPC, gRPC-Web and Connect. Some also have a path for JSON
          over HTTP. The packages for Go, Python, Java and TypeScript retry calls, read pages, and
          resume watches. Each method has a sample for them.
        </p>
      </div>
      <h2 id="headers">Headers of every response</h2>
      <p>The response to every counted request has these headers, whatever its status.</p>
      <FieldTable fields={commonHeaders} types={{}} title="Header" />
    </>
  );
}
