import { execFileSync } from "node:child_process";

/**
 * Creates a certificate and its key in the files `<path>.crt` and `<path>.key`.
 *
 * @param host such as `IP:127.0.0.1`
 * @param authority path of the certificate that signs it, without its extension. It signs itself by default
 * @param days how long it is valid
 */
export function createCertificate(path: string, host: string, authority?: string, days = 30): void {
  const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=${host}`];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const files = ["-keyout", `${path}.key`, "-out", `${path}.crt`];
  const signer = authority ? ["-CA", `${authority}.crt`, "-CAkey", `${authority}.key`] : [];
  execFileSync(
    "openssl",
    ["req", "-x509", "-days", String(days), ...signer, ...key, ...subject, ...files],
    { stdio: "ignore" },
  );
}
