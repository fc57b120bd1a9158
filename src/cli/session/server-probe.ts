import { connect, type SecureClientSessionOptions } from "node:http2";

/**
 * Connects to a server and waits for the first frame of HTTP/2, which every such server sends at once.
 *
 * @param timeoutMs longest time to wait, in milliseconds
 * @returns why the server cannot be called, and what to do; undefined if it can
 */
export function probeServer(
  origin: string,
  options: Pick<SecureClientSessionOptions, "ca">,
  timeoutMs: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const session = connect(origin, options);
    const end = (why?: string) => {
      clearTimeout(timer);
      session.destroy();
      resolve(why);
    };
    const silence = `it accepts connections, but did not respond within ${timeoutMs / 1_000} s. ${advice}`;
    // A pause of this process counts as one tick, because the server may have responded during it.
    let ticks = 0;
    const tick = () => {
      ticks += 1;
      if (ticks * tickMs > timeoutMs) end(silence);
      else timer = setTimeout(tick, tickMs);
    };
    let timer: NodeJS.Timeout;
    tick();
    session.once("remoteSettings", () => end());
    // Remains until the end, because a session can fail while it is destroyed.
    session.on("error", (error) => end(faultText(origin, error)));
    session.once("close", () => end(otherProtocol(origin)));
  });
}

/** How often the time without a response is counted, in milliseconds. */
const tickMs = 100;

const advice = "Start the service there, or correct the URL";

/** Codes of OpenSSL for a certificate that no trusted authority has signed. */
const isUntrusted =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER|VERIFY)\w+|CERT_SIGNATURE_FAILURE)$/;

function faultText(origin: string, error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  if (isUntrusted.test(code)) {
    return "no trusted authority has signed its certificate. Set INVENTORY_CA_FILE to a PEM file with its authority";
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const names = "cert" in error ? (error.cert as { subjectaltname?: string }).subjectaltname : "";
    return `its certificate is for ${names || "another name"}. Correct the host in the URL`;
  }
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired. Renew it";
  if (code === "CERT_NOT_YET_VALID") {
    return "its certificate is not valid yet. Check the clocks of both machines";
  }
  const isPlain = /wrong version number|packet length/i.test(error.message);
  if (isPlain && /^(?:ERR_SSL_|EPROTO)/.test(code)) {
    return "the server there does not use TLS. Begin the URL with http:";
  }
  const isOther = code === "ERR_HTTP2_ERROR" || code === "ECONNRESET";
  if (isOther || /no application protocol/.test(error.message)) return otherProtocol(origin);
  return `${error.message.replace(/\s*[\r\n]+\s*/g, " ")}. ${advice}`;
}

function otherProtocol(origin: string): string {
  return origin.startsWith("http:")
    ? "the server there does not speak HTTP/2 without TLS. If it uses TLS, begin the URL with https:"
    : "the server there does not speak HTTP/2. Enable it there, or correct the URL";
}
