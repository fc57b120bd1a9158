import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a private key and a certificate for localhost that is valid for a day. */
export function selfSigned(): { key: string; cert: string } {
  const directory = mkdtempSync(join(tmpdir(), "certificate-"));
  const keyFile = join(directory, "key.pem");
  const certFile = join(directory, "cert.pem");
  try {
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-subj", "/CN=localhost", "-days", "1", "-keyout", keyFile, "-out", certFile],
      ],
      { stdio: "ignore" },
    );
    return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
