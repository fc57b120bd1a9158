import { execFileSync } from "node:child_process";

/**
 * Creates a certificate and its key in the files `<path>.crt` and `<path>.key`. It signs itself.
 *
 * @param host such as `IP:127.0.0.1`
 */
export function createCertificate(path: string, host: string): void {
  const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=${host}`];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const files = ["-keyout", `${path}.key`, "-out", `${path}.crt`];
  execFileSync("openssl", ["req", "-x509", "-days", "30", ...key, ...subject, ...files], {
    stdio: "ignore",
  });
}
