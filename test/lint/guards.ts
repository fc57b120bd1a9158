/**
 * Fails for a guard that is not written as all others: `if (…) return;` on one line, or braces around a longer body.
 */
import { readFileSync } from "node:fs";
import { trackedFiles } from "../support/tracked-files.ts";

const withoutBraces = /^ *if \(.*\)\n +(?:return|throw|continue|break)\b.*/gm;
const braces =
  /^( *if \(.*\) )\{\n *((?!(?:if|for|while|const|let|using)\b).*;)\n *\}\n(?! *else)/gm;
const lineWidth = 100;

const faults = trackedFiles("*.ts", "*.tsx").flatMap((path) => {
  const text = readFileSync(path, "utf8");
  const shorter = [...text.matchAll(braces)].filter(
    ([, head = "", body = ""]) => head.length + body.length <= lineWidth && !body.startsWith("//"),
  );
  return [...text.matchAll(withoutBraces), ...shorter].map(
    ({ 0: guard, index }) =>
      `${path}:${text.slice(0, index).split("\n").length}: ${guard.trim().split("\n")[0]}`,
  );
});
if (faults.length > 0) {
  throw new Error(`guards with a body on a line of its own:\n${faults.join("\n")}`);
}
