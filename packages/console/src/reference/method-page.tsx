import { useState } from "preact/hooks";
import { Choice } from "./choice.tsx";
import { Markdown } from "./markdown.tsx";
import type { Call, Method } from "./model.ts";
import type { Inputs } from "./request.ts";
import { Responses } from "./responses.tsx";
import { Samples } from "./samples.tsx";
import { TryCall } from "./try-call.tsx";
import { FieldTable, TypeContent } from "./type-details.tsx";
import { Verb } from "./verb.tsx";

const protocolNames = { http: "JSON over HTTP", rpc: "RPC" } as const;

/** Describes one method: over HTTP or RPC. */
export function MethodPage({ method }: { method: Method }) {
  const [index, setIndex] = useState(0);
  const call = method.calls[index];
  if (!call) return null;
  return (
    <>
      <div class="method-head">
        <h1 class={method.isDeprecated ? "deprecated" : ""}>{method.name}</h1>
        <Facts method={method} />
      </div>
      {method.calls.length > 1 && (
        <Choice
          label="Protocol"
          options={method.calls.map(({ protocol }) => [protocol, protocolNames[protocol]])}
          chosen={call.protocol}
          onChoose={(chosen) =>
            setIndex(method.calls.findIndex(({ protocol }) => protocol === chosen))
          }
        />
      )}
      <CallPage key={call.protocol} call={call} method={method} />
    </>
  );
}

function Facts({ method: { rpc, scope, stability, isDeprecated } }: { method: Method }) {
  return (
    <p class="facts">
      <span>
        RPC <code>{rpc}</code>
      </span>
      <span>
        {scope ? (
          <>
            scope <code>{scope}</code>
          </>
        ) : (
          "any valid key"
        )}
      </span>
      {stability && <span class="tag">{stability}</span>}
      {isDeprecated && <span class="tag">deprecated</span>}
    </p>
  );
}

function CallPage({ call, method }: { call: Call; method: Method }) {
  const [inputs, setInputs] = useState<Inputs>(() => firstInputs(call, method));
  const { parameters, body, types } = call;
  return (
    <div class="method">
      <div class="method-about">
        <p class="path">
          <Verb call={{ ...call, protocol: "http" }} /> <code>{call.path}</code>
        </p>
        <div class="prose">
          <p>{call.summary}.</p>
          {call.description && <Markdown text={call.description} />}
        </div>
      </div>
      <div class="method-tools">
        <Samples call={call} inputs={inputs} samples={method.samples} />
        <TryCall call={call} inputs={inputs} onInputs={setInputs} />
      </div>
      <div class="method-text">
        {parameters.length > 0 && (
          <section>
            <h2>Parameters</h2>
            <FieldTable fields={parameters} types={types} title="Parameters" />
          </section>
        )}
        {body && (
          <section>
            <h2>Request body</h2>
            <TypeContent name={body.type} types={types} within={[]} />
          </section>
        )}
        <section>
          <h2>Responses</h2>
          <Responses responses={call.responses} types={types} isRpc={call.protocol === "rpc"} />
        </section>
      </div>
    </div>
  );
}

/** The values that a form begins with: those of the sample over RPC, so that a call works without typing. */
function firstInputs(call: Call, { calls }: Method): Inputs {
  const rpc = calls.find(({ protocol }) => protocol === "rpc");
  const sample: Readonly<Record<string, unknown>> = JSON.parse(rpc?.body?.example ?? "{}");
  const ids = call.parameters.filter(({ in: place }) => place === "path");
  return {
    values: Object.fromEntries(ids.map(({ name }) => [name, String(sample[name] ?? "1")])),
    body: call.body?.example ?? "",
  };
}
