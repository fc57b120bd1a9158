/** Tells what happens: one line that is written over on a terminal, a line each elsewhere. */
export function progress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${text}`);
  } else if (text !== "") {
    process.stderr.write(`${text}\n`);
  }
}
