/** A reason why a server did not run a command that can be sent again. */
export type Redirection =
  /** Another server has the slot now. */
  | { readonly kind: "moved"; readonly address: string }
  /** The slot is moving, and another server has the keys already. */
  | { readonly kind: "ask"; readonly address: string }
  /** The slot is moving, and the keys of the command are divided between two servers, or some do not exist. */
  | { readonly kind: "try_again" }
  /** The server does not know the script with this hash. */
  | { readonly kind: "unknown_script" };

/**
 * Parses an error that a server sends instead of running a command. See the Redis Cluster specification,
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#redirection-and-resharding
 *
 * @returns undefined for all other errors: the command may have run
 */
export function redirectionOf(error: unknown): Redirection | undefined {
  if (!(error instanceof Error)) return undefined;
  const [word, , address = ""] = error.message.split(" ", 3);
  switch (word) {
    case "MOVED":
      return { kind: "moved", address };
    case "ASK":
      return { kind: "ask", address };
    case "TRYAGAIN":
      return { kind: "try_again" };
    case "NOSCRIPT":
      return { kind: "unknown_script" };
    default:
      return undefined;
  }
}
