import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "./child.ts";
import { newDirectory } from "./directory.ts";
import { freePort } from "./redis-server.ts";

/** Debian installs nginx here, which is not on the PATH of every user. */
const binaries = ["nginx", "/usr/sbin/nginx"];

/** The path of nginx; undefined if it is not installed. */
export function findNginxBinary(): string | undefined {
  return binaries.find((binary) => {
    try {
      execFileSync(binary, ["-v"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
}

/** An nginx process that serves as a reverse proxy for one test. */
export interface NginxServer {
  readonly url: string;
  /** The error log so far. */
  errors(): string;
  stop(): Promise<void>;
}

/**
 * Starts nginx as a reverse proxy over HTTP/1.1, with keep-alive connections to its upstream servers.
 *
 * @param ports ports of the upstream servers, on the loopback address
 * @param options more directives for the `location`, such as `proxy_request_buffering off;`
 */
export async function startNginx(ports: readonly number[], options = ""): Promise<NginxServer> {
  const binary = findNginxBinary();
  if (!binary) throw new Error("nginx is not installed");
  const directory = newDirectory();
  const port = await freePort();
  const log = join(directory, "error.log");
  const file = join(directory, "nginx.conf");
  writeFileSync(
    file,
    `daemon off;
master_process off;
pid ${directory}/nginx.pid;
error_log ${log} warn;
events {}
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  client_max_body_size 10m;
  upstream service {
    ${ports.map((each) => `server 127.0.0.1:${each};`).join(" ")}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      ${options}
    }
  }
}
`,
  );
  const child = startChild([binary, "-p", directory, "-c", file, "-e", log]);
  const url = `http://127.0.0.1:${port}`;
  const listens = () => fetch(url).then(Boolean, () => false);
  await child.until("nginx listens", listens, 10_000);
  return {
    url,
    errors: () => readFileSync(log, "utf8"),
    async stop() {
      await child.end();
    },
  };
}
