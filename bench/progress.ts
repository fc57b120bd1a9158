/** Prints progress: on a terminal in one line that is overwritten, otherwise in a line per step. */
export function progress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${text}`);
  } else if (text !== "") {
    process.stderr.write(`${text}\n`);
  }
}
