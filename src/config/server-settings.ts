import { date, file, host, integer, networks, oneOf, origins } from "./parsers.ts";
import { type Setting, setting } from "./setting.ts";

/** Where the service listens, and who may reach it. */
export const serverSettings = {
  CONFIG_FILE: setting(
    "File with settings, one `NAME=value` a line. See [settings in files](#settings-in-files).",
    file,
  ),
  HOST: setting("Address to listen on. `0.0.0.0` or `::` means all addresses.", {
    default: "127.0.0.1",
    ...host,
  }),
  PORT: setting("Port to listen on. 0 chooses a free one.", integer(0, 65_535, 8_080)),
  WORKERS: setting(
    "Number of processes that share the port. Use at most one for each core. More than one requires `REDIS_URL`.",
    integer(1, 256, 1),
  ),
  TLS_CERT: setting(
    "File with the certificate chain in PEM. With `TLS_CERT` and `TLS_KEY`, the service accepts TLS only. It reads both files again on SIGHUP.",
    file,
  ),
  TLS_KEY: setting("File with the certificate's private key in PEM.", file),
  TRUSTED_PROXIES: setting(
    "Proxies whose `X-Forwarded-For` header is trusted: addresses and networks, separated by commas.",
    { bounds: "IP addresses and networks in CIDR form", default: "", parse: networks },
  ),
  CORS_ORIGINS: setting(
    "Origins whose pages may call the service from a browser, separated by commas.",
    { bounds: "`*`, or origins such as `https://shop.example`", default: "", parse: origins },
  ),
} satisfies Record<string, Setting<unknown>>;

/** What the service offers and describes. */
export const interfaceSettings = {
  PETS_SUNSET: setting("First day (UTC) on which `GET /v1/pets/{petId}` responds 410 Gone.", {
    bounds: "date as YYYY-MM-DD",
    schema: { type: "string", format: "date" },
    default: "2027-12-31",
    parse: date,
  }),
  GRPC_REFLECTION: setting(
    "Whether gRPC server reflection is available. It shows the API definition to all clients, also without a key, as `/docs` and `/openapi.json` do.",
    { default: "on", ...oneOf("on", "off") },
  ),
} satisfies Record<string, Setting<unknown>>;
