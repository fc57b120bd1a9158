import type { Call, Parameter } from "./model.ts";

/** What a user has entered. */
export interface Inputs {
  /** Values of parameters by name; empty or absent if the request omits them. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that is ready to be sent. */
export interface ReadyRequest {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns what is wrong with the inputs, by the name of the parameter or `body`. */
export function faultsOf(call: Call, inputs: Inputs): Readonly<Record<string, string>> {
  const faults = call.parameters.flatMap((parameter) => {
    const fault = parameterFault(parameter, inputs.values[parameter.name] ?? "");
    return fault ? [[parameter.name, fault] as const] : [];
  });
  const fault = call.body && bodyFault(inputs.body);
  return Object.fromEntries(fault ? [...faults, ["body", fault]] : faults);
}

function parameterFault(parameter: Parameter, value: string): string | undefined {
  const { isRequired, isInteger, minimum, maximum, pattern } = parameter;
  if (value === "") return isRequired ? "is required" : undefined;
  if (isInteger) {
    if (!/^-?\d+$/.test(value)) return "must be an integer";
    const integer = BigInt(value);
    if (minimum !== undefined && integer < minimum) return `must be at least ${minimum}`;
    if (maximum !== undefined && integer > maximum) return `must be at most ${maximum}`;
  }
  if (pattern && !new RegExp(pattern, "u").test(value)) return `must match ${pattern}`;
  return undefined;
}

function bodyFault(body: string): string | undefined {
  try {
    JSON.parse(body);
    return undefined;
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : error}`;
  }
}

/** Makes the request of a call. It has no key. */
export function requestOf(call: Call, { values, body }: Inputs): ReadyRequest {
  const given = call.parameters.filter(({ name }) => (values[name] ?? "") !== "");
  const path = call.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ""),
  );
  const query = new URLSearchParams(
    given
      .filter((each) => each.in === "query")
      .flatMap(({ name, isList }) => {
        const text = values[name] ?? "";
        return (isList ? elementsOf(text) : [text]).map((each) => [name, each]);
      }),
  ).toString();
  const headers = given
    .filter((each) => each.in === "header")
    .map(({ name }) => [name, values[name] ?? ""]);
  return {
    method: call.httpMethod,
    target: query ? `${path}?${query}` : path,
    headers: {
      ...(call.body && { "Content-Type": "application/json" }),
      ...(call.isStream && call.protocol === "http" && { Accept: "application/x-ndjson" }),
      ...Object.fromEntries(headers),
    },
    ...(call.body && { body }),
  };
}

function elementsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== "");
}

/** The environment variable that has the key of samples. */
export const keyVariable = "INVENTORY_API_KEY";

/**
 * Writes a request as a curl command. It takes the key from the environment, so that the key is not shown. It ends the
 * line of the response, because a body of JSON does not.
 */
export function curlOf({ method, target, headers, body }: ReadyRequest, origin: string): string {
  const parts = [
    `curl -w '\\n'${method === "GET" ? "" : ` -X ${method}`} ${quoted(origin + target)}`,
    `-H "Authorization: Bearer $${keyVariable}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
