import { pino } from "pino";

/** Returns a JSON line as people read it: its time, level, message and fields, and then the stack of its error. */
export function readableLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line);
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`);
  const words = [time, pino.levels.labels[level], escaped(msg), ...pairs].join(" ");
  const stack: string[] = err ? String(err.stack ?? err.message ?? err).split("\n") : [];
  return [words, ...stack.map((each) => `  ${escaped(each)}`), ""].join("\n");
}

function valueText(value: unknown): string {
  return typeof value === "string" && /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
}

/** Escapes control characters, which could change what the terminal shows. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
}
