import { connect } from "node:http2";

/**
 * Connects to a server and waits for the first frame of HTTP/2, which every such server sends at once.
 *
 * @param origin URL of the server
 * @param timeoutMs longest time to wait, in milliseconds
 * @returns why the server cannot be called; undefined if it can
 */
export function probeServer(origin: string, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const session = connect(origin);
    const end = (why?: string) => {
      clearTimeout(timer);
      session.destroy();
      resolve(why);
    };
    const timer = setTimeout(end, timeoutMs, `it did not respond within ${timeoutMs} ms`);
    session.once("remoteSettings", () => end());
    // Remains until the end, because a session can fail while it is destroyed.
    session.on("error", (error) => end(reasonOf(origin, error)));
    session.once("close", () => end(otherProtocol(origin)));
  });
}

function reasonOf(origin: string, error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  if (
    /^(?:ERR_SSL_|EPROTO)/.test(code) &&
    /wrong version number|packet length/i.test(error.message)
  )
    return "the server there does not use TLS. Its URL begins with http:";
  if (code === "ERR_HTTP2_ERROR" || code === "ECONNRESET") return otherProtocol(origin);
  return error.message.replace(/\s*[\r\n]+\s*/g, " ");
}

function otherProtocol(origin: string): string {
  return origin.startsWith("http:")
    ? "the server there does not speak HTTP/2 without TLS. If it uses TLS, its URL begins with https:"
    : "the server there does not speak HTTP/2";
}
