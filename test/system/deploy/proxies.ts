import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, startChild } from "../harness/child.ts";
import { findNginxBinary } from "../harness/nginx-server.ts";
import { pythonTool } from "./tools.ts";

const folder = join(import.meta.dirname, "../../../deploy/proxies");

/** What differs between an example and this machine. */
export interface Place {
  /** A folder for files, with the certificate as tls.crt, tls.key and tls.pem. */
  readonly directory: string;
  readonly port: number;
  readonly servers: readonly [number, number];
  /** A port for the proxy's own administration. */
  readonly admin: number;
}

/** A proxy with an example of its configuration. */
export interface Proxy {
  readonly name: string;
  readonly file: string;
  /** Texts of the example, and what replaces them on this machine. */
  replacements(place: Place): readonly (readonly [string, string])[];
  command(file: string, place: Place): readonly [string, ...string[]];
}

const servers = ({ servers: [first, second] }: Place) =>
  [
    ["127.0.0.1:8080", `127.0.0.1:${first}`],
    ["127.0.0.1:8081", `127.0.0.1:${second}`],
  ] as const;

export const proxies: readonly Proxy[] = [
  {
    name: "nginx",
    file: "nginx.conf",
    replacements: (place) => [
      ...servers(place),
      ["listen 443", `listen 127.0.0.1:${place.port}`],
      ["/etc/inventory/", `${place.directory}/`],
      ["/var/log/nginx/error.log", `${place.directory}/error.log`],
      ["/run/nginx.pid", `${place.directory}/nginx.pid`],
    ],
    command: (file, { directory }) => [
      findNginxBinary() ?? "nginx",
      ...["-p", directory, "-c", file, "-e", join(directory, "error.log")],
      ...["-g", "daemon off;"],
    ],
  },
  {
    name: "haproxy",
    file: "haproxy.cfg",
    replacements: (place) => [
      ...servers(place),
      // The limit of open files on this machine may be lower.
      ["maxconn 20000", "maxconn 1000"],
      ["bind :443", `bind 127.0.0.1:${place.port}`],
      ["/etc/inventory/", `${place.directory}/`],
    ],
    command: (file) => ["haproxy", "-db", "-f", file],
  },
  {
    name: "Envoy",
    file: "envoy.yaml",
    replacements: ({ port, admin, directory, servers: [first, second] }) => [
      ["port_value: 8080", `port_value: ${first}`],
      ["port_value: 8081", `port_value: ${second}`],
      ["address: 0.0.0.0, port_value: 443", `address: 127.0.0.1, port_value: ${port}`],
      ["port_value: 9901", `port_value: ${admin}`],
      ["/etc/inventory/", `${directory}/`],
    ],
    command: (file) => [
      pythonTool("envoy"),
      ...["--config-path", file, "--concurrency", "1", "--log-level", "warning"],
      "--disable-hot-restart",
    ],
  },
];

/**
 * Starts a proxy with its example.
 *
 * @throws Error if the example has none of a text that differs on this machine
 */
export function startProxy(proxy: Proxy, place: Place): Child {
  let config = readFileSync(join(folder, proxy.file), "utf8");
  for (const [example, here] of proxy.replacements(place)) {
    if (!config.includes(example)) throw new Error(`${proxy.file} does not contain ${example}`);
    config = config.replaceAll(example, here);
  }
  const directory = join(place.directory, proxy.name);
  mkdirSync(directory);
  const file = join(directory, proxy.file);
  writeFileSync(file, config);
  // nginx has worker processes.
  return startChild(proxy.command(file, place), { detached: true });
}
