/**
 * Lets the stack traces of a bundle point at the sources. esbuild puts this into each file that starts a program. `node
 * --enable-source-maps` would read all maps at the start, which takes 25 ms and 12 MB. This reads the map of a file when the
 * first stack trace has it.
 */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** The maps that were read, by the URLs of their files; null for a file without a map. */
const maps = new Map();

function mapOf(url) {
  if (!maps.has(url)) {
    let map = null;
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8")));
    } catch {
      // The files of a map may be removed. Then the trace has the places in the bundle.
    }
    maps.set(url, map);
  }
  return maps.get(url);
}

/** Replaces the place of a frame in a bundle by that in the sources. */
function inSources(place, url, line, column) {
  const origin = mapOf(url)?.findOrigin(Number(line), Number(column));
  if (origin?.fileName === undefined) return place;
  return `${fileURLToPath(new URL(origin.fileName, url))}:${origin.lineNumber}:${origin.columnNumber}`;
}

Error.prepareStackTrace = (error, frames) => {
  let head = "Error";
  try {
    head = String(error);
  } catch {
    // A message can be anything.
  }
  const lines = frames.map((frame) => `\n    at ${frame}`).join("");
  return head + lines.replaceAll(/(file:\/\/[^\s()]+):(\d+):(\d+)/g, inSources);
};
