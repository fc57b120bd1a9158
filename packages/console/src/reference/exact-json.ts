/** Reads JSON. Integers that a double cannot hold become texts with all digits. */
export function readJson(text: string): unknown {
  const exact = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? context?.source
      : value;
  return JSON.parse(text, exact);
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** Indents JSON and keeps the digits of all numbers. Returns a text that is not JSON as it is. */
export function indentJson(json: string): string {
  if (!isJson(json)) return json;
  let depth = 0;
  let before = "";
  let text = "";
  const newLine = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of json.matchAll(tokens)) {
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth--;
    if (before === "{" || before === "[") text += isEnd ? "" : newLine();
    else if (isEnd || before === ",") text += newLine();
    text += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth++;
    before = token;
  }
  return text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
