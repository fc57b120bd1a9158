/** Returns the pairs of texts that alternate in a reply, such as names and values. */
export function pairsOf(reply: readonly string[]): [first: string, second: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < reply.length; at += 2) {
    pairs.push(reply.slice(at, at + 2) as [string, string]);
  }
  return pairs;
}
