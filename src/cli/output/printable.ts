const invisible = /[\p{C}\u2028\u2029]/gu;

/** Replaces control and invisible characters with their code points: names are untrusted text. */
export function printable(text: string): string {
  return text.replace(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
