import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { selfSigned } from "../../packages/connect-gateway/test/server/support/certificate.ts";
import {
  configFaults,
  configWarnings,
  readCheckedConfig,
  readConfig,
  readRedisConfig,
} from "../../src/config/config.ts";
import { synonyms } from "../../src/config/names.ts";
import { settings } from "../../src/config/settings.ts";
import { effectiveSettings } from "../../src/config/sources.ts";
import { useFiles } from "./files.ts";

const write = useFiles();

function effective(environment: Record<string, string>, name: string) {
  return effectiveSettings(environment).find((setting) => setting.name === name);
}

describe("a secret in a file", () => {
  test.each([
    ["no line break", ""],
    ["a line break", "\n"],
    ["a line break of Windows", "\r\n"],
  ])("is read from a file that ends with %s", (_, end) => {
    const path = write("url", `redis://u:p@a:1${end}`);
    expect(readConfig({ REDIS_URL_FILE: path }).redis).toMatchObject({
      addresses: [{ host: "a", port: 1 }],
      password: "p",
    });
    expect(readRedisConfig({ REDIS_URL_FILE: path })).toMatchObject({ password: "p" });
  });

  test("allows several processes, like REDIS_URL", () => {
    const path = write("url", "redis://a");
    expect(readConfig({ REDIS_URL_FILE: path, WORKERS: "2" })).toMatchObject({ workers: 2 });
  });

  test.each<[fault: string, make: () => Record<string, string>]>([
    ["^REDIS_URL_FILE: cannot read /no/url: there is no such file", () => ({ file: "/no/url" })],
    ["^REDIS_URL_FILE: cannot read /: it is a directory", () => ({ file: "/" })],
    ["^REDIS_URL_FILE: .*/empty is empty", () => ({ file: write("empty", "\n") })],
    ["^REDIS_URL_FILE: .*/blank is empty", () => ({ file: write("blank", "\r\n") })],
    ["^REDIS_URL_FILE: .*/binary is not UTF-8", () => ({ file: write("binary", Buffer.of(0xff)) })],
    [
      "^REDIS_URL_FILE: .*/large has more than 65536 bytes",
      () => ({ file: write("large", "x".repeat(65_537)) }),
    ],
    ["^REDIS_URL in .*/wrong is not valid: it must", () => ({ file: write("wrong", "geheim") })],
    [
      "^REDIS_URL and REDIS_URL_FILE are both set: remove one",
      () => ({ file: write("url", "redis://a"), url: "redis://:geheim@b" }),
    ],
  ])("is refused with one line: %s", (fault, make) => {
    const { file = "", url = "" } = make();
    const faults = configFaults({ REDIS_URL_FILE: file, REDIS_URL: url });
    expect(faults).toEqual([expect.stringMatching(fault)]);
    expect(faults.join()).not.toContain("geheim");
  });

  test("exists only for secrets", () => {
    const path = write("port", "9000");
    expect(readConfig({ PORT_FILE: path }).port).toBe(8_080);
    const config = write("settings.env", `PORT_FILE=${path}`);
    expect(configFaults({ CONFIG_FILE: config })).toEqual([
      expect.stringMatching(/^PORT_FILE in .* is not a setting/),
    ]);
  });
});

describe("CONFIG_FILE", () => {
  test("has settings, and the environment takes precedence", () => {
    const path = write(
      "settings.env",
      "\uFEFF# a comment\n\nPORT=9000\r\n  LOG_LEVEL='warn' \nCORS_ORIGINS=\"*\"\nHOST=\nTLS_CERT=#\nTLS_KEY=a=b\n",
    );
    expect(readConfig({ CONFIG_FILE: path, PORT: "9001", LOG_LEVEL: "" })).toMatchObject({
      port: 9_001,
      logLevel: "warn",
      corsOrigins: ["*"],
      host: "127.0.0.1",
      tls: { certFile: "#", keyFile: "a=b" },
    });
    expect(readConfig({ CONFIG_FILE: path }).port).toBe(9_000);
  });

  test("can name the file of a secret", () => {
    const url = write("url", "redis://a");
    const path = write("settings.env", `REDIS_URL_FILE=${url}`);
    expect(readConfig({ CONFIG_FILE: path }).redis).toMatchObject({ addresses: [{ host: "a" }] });
    expect(configFaults({ CONFIG_FILE: path, REDIS_URL: "redis://b" })).toEqual([
      "REDIS_URL and REDIS_URL_FILE are both set: remove one of them",
    ]);
  });

  test("reports each wrong line and value at once, with the place, without values of secrets", () => {
    const path = write(
      "settings.env",
      "PORT=x\nexport HOST=a\nREDIS_URL redis://:geheim@a\nLOG_LEVEL=info\nLOG_LEVEL=warn\nMAX_STREMS=1\nFOO=1\nCONFIG_FILE=a\nOTEL_EXPORTER_OTLP_HEADERS=geheim\nOTEL_SERVICE_NAME=a\nREDIS_URL=geheim\n",
    );
    const faults = configFaults({ CONFIG_FILE: path });
    expect(faults).toEqual([
      `${path}, line 2: write NAME=value, or # before a comment`,
      `${path}, line 3: write NAME=value, or # before a comment`,
      `${path}, line 5: LOG_LEVEL is set in line 4 too. Remove one`,
      `MAX_STREMS in ${path} is not a setting. Did you mean MAX_STREAMS?`,
      `FOO in ${path} is not a setting. Remove it`,
      `CONFIG_FILE is set in ${path}: set it in the environment`,
      `OTEL_EXPORTER_OTLP_HEADERS is set in ${path}: set it in the environment`,
      `OTEL_SERVICE_NAME is set in ${path}: set it in the environment`,
      expect.stringMatching(/^REDIS_URL in .* is not valid: it must/),
      `PORT in ${path} is "x": it must be an integer from 0 to 65535`,
    ]);
    expect(faults.join()).not.toContain("geheim");
  });

  test("reports a wrong line once, also if the file has the URL of Redis", () => {
    const path = write("settings.env", "REDIS_URL=redis://a\nFOO=1\nBAR=1\n");
    expect(configFaults({ CONFIG_FILE: path })).toEqual([
      `FOO in ${path} is not a setting. Remove it`,
      `BAR in ${path} is not a setting. Remove it`,
    ]);
  });

  test("must be readable", () => {
    expect(configFaults({ CONFIG_FILE: "/no/settings.env" })).toEqual([
      "CONFIG_FILE: cannot read /no/settings.env: there is no such file. Correct the path",
    ]);
  });
});

describe("a name in the environment that is not a setting", () => {
  test.each([
    ["REDIS_ULR", "REDIS_URL"],
    ["REDIS_URI", "REDIS_URL"],
    ["REDISURL_FILE", "REDIS_URL_FILE"],
    ["redis_url", "REDIS_URL"],
    ["LOG_LEVL", "LOG_LEVEL"],
    ["OTEL_TRACE_SAMPLER", "OTEL_TRACES_SAMPLER"],
    ["OTEL_BPS_SCHEDULE_DELAY", "OTEL_BSP_SCHEDULE_DELAY"],
    ["MAX_CONECTIONS_PER_ADRESS", "MAX_CONNECTIONS_PER_ADDRESS"],
  ])("is reported if it is like one: %s", (name, meant) => {
    const fault = `${name} is not a setting: did you mean ${meant}? Rename or remove it`;
    expect(configFaults({ [name]: "1" })).toEqual([fault]);
    expect(() => readConfig({ [name]: "1" })).toThrow(fault);
  });

  test.each([
    ["REDIS_PASSWORD", "REDIS_PASSWORD_FILE, or REDIS_URL with the password"],
    ["REDIS_HOST", "REDIS_URL"],
    ["REDIS_PORT", "REDIS_URL"],
    ["REDIS_USER", "REDIS_USERNAME"],
    ["TRUST_PROXY", "TRUSTED_PROXIES"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["corsorigins", "CORS_ORIGINS"],
    ["DRAIN_TIMEOUT", "DRAIN_TIMEOUT_MS"],
    ["TLS_CERT_FILE", "TLS_CERT"],
  ])("gets a warning that names the setting if others use it so: %s", (name, meant) => {
    expect(configFaults({ [name]: "6379" })).toEqual([]);
    expect(configWarnings({ [name]: "6379" })).toEqual([
      `${name} is not a setting, and has no effect: use ${meant}`,
    ]);
  });

  test.each(synonyms)("gets the advice for %s to use settings: %s", (_, meant) => {
    const names = meant.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g) ?? [];
    expect(names).not.toEqual([]);
    expect(Object.keys(settings)).toEqual(expect.arrayContaining(names));
  });

  test("gets no warning while the setting itself is set", () => {
    expect(configWarnings({ REDIS_PASSWORD: "x", REDIS_URL: "redis://a" })).toEqual([]);
    expect(configWarnings({ LOGLEVEL: "debug", LOG_LEVEL: "debug" })).toEqual([]);
  });

  test.each([
    // Kubernetes sets these in every pod for a service with the name redis.
    ["REDIS_PORT", "tcp://10.0.0.1:6379"],
    ["REDIS_SERVICE_HOST", "10.0.0.1"],
    ["REDIS_PORT_6379_TCP_ADDR", "10.0.0.1"],
    ["SSL_CERT_FILE", "x"],
    ["HOSTNAME", "x"],
    ["HOST_IP", "x"],
    ["PORTS", "x"],
    ["NODE_OPTIONS", "x"],
  ])("belongs to another program otherwise: %s", (name, value) => {
    expect(configFaults({ [name]: value })).toEqual([]);
    expect(configWarnings({ [name]: value })).toEqual([]);
  });

  // https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
  test.each([
    "OTEL_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "OTEL_BLRP_EXPORT_TIMEOUT",
    "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE",
    "OTEL_BLRP_MAX_QUEUE_SIZE",
    "OTEL_BLRP_SCHEDULE_DELAY",
    "OTEL_BSP_EXPORT_TIMEOUT",
    "OTEL_ENTITIES",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_PROMETHEUS_HOST",
    "OTEL_EXPORTER_PROMETHEUS_PORT",
    "OTEL_EXPORTER_ZIPKIN_ENDPOINT",
    "OTEL_EXPORTER_ZIPKIN_TIMEOUT",
    "OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_LOGS_EXPORTER",
    "OTEL_LOG_LEVEL",
    "OTEL_METRICS_EXEMPLAR_FILTER",
    "OTEL_METRICS_EXPORTER",
    "OTEL_METRIC_EXPORT_INTERVAL",
    "OTEL_METRIC_EXPORT_TIMEOUT",
    "OTEL_NODE_RESOURCE_DETECTORS",
    "OTEL_PROPAGATORS",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_SERVICE_NAME",
    "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_SPAN_EVENT_COUNT_LIMIT",
    "OTEL_SPAN_LINK_COUNT_LIMIT",
  ])("belongs to OpenTelemetry otherwise: %s", (name) => {
    expect(configFaults({ [name]: "1" })).toEqual([]);
    expect(configWarnings({ [name]: "1" })).toEqual([]);
  });

  test("is ignored while the setting itself is set", () => {
    expect(configFaults({ REDIS_URI: "x", REDIS_URL: "redis://a" })).toEqual([]);
    const path = write("url", "redis://a");
    expect(configFaults({ REDIS_URI: "x", REDIS_URL_FILE: path })).toEqual([]);
  });
});

describe("the check of files", () => {
  test("reports every file that cannot be read", () => {
    const environment = {
      TLS_CERT: "/no/cert",
      TLS_KEY: "/",
      REDIS_URL: "rediss://a",
      REDIS_PASSWORD_FILE: "/no/password",
      REDIS_TLS_CA: "/no/ca",
      PORT: "x",
    };
    const faults = [
      'PORT is "x": it must be an integer from 0 to 65535',
      "TLS_CERT: cannot read /no/cert: there is no such file. Correct the path",
      "TLS_KEY: cannot read /: it is a directory. Give the path of a file",
      "REDIS_PASSWORD_FILE: cannot read /no/password: there is no such file. Correct the path",
      "REDIS_TLS_CA: cannot read /no/ca: there is no such file. Correct the path",
    ];
    expect(configFaults(environment)).toEqual(faults);
    expect(() => readCheckedConfig(environment)).toThrow(faults.join("\n"));
  });

  test("accepts no pipe or device, for which the service would wait", () => {
    const pipe = write("unused", "").replace("unused", "pipe");
    execFileSync("mkfifo", [pipe]);
    const fault = "it is a pipe or a device. Give the path of a file";
    expect(
      configFaults({
        CONFIG_FILE: pipe,
        REDIS_URL_FILE: pipe,
        TLS_CERT: pipe,
        TLS_KEY: "/dev/zero",
      }),
    ).toEqual([
      `CONFIG_FILE: cannot read ${pipe}: ${fault}`,
      `REDIS_URL_FILE: cannot read ${pipe}: ${fault}`,
      `TLS_CERT: cannot read ${pipe}: ${fault}`,
      `TLS_KEY: cannot read /dev/zero: ${fault}`,
    ]);
  });

  test("names the setting if a file cannot be read after all", () => {
    // The kernel refuses to read the first page of the memory.
    expect(configFaults({ CONFIG_FILE: "/proc/self/mem" })).toEqual([
      "CONFIG_FILE: cannot read /proc/self/mem: EIO",
    ]);
  });

  test("reports files that are no certificates", () => {
    const path = write("cert", "not PEM");
    expect(
      configFaults({
        TLS_CERT: path,
        TLS_KEY: path,
        REDIS_URL: "rediss://a",
        REDIS_TLS_CERT: path,
        REDIS_TLS_KEY: path,
      }),
    ).toEqual([
      expect.stringMatching(/^TLS_CERT ".*cert" and TLS_KEY ".*cert" are not valid: /),
      expect.stringMatching(/^REDIS_TLS_CERT, REDIS_TLS_KEY or REDIS_TLS_CA has no valid PEM/),
    ]);
  });

  test("accepts several authorities, with comments", () => {
    const text = `# old\n${selfSigned().cert}\n# new\r\n${selfSigned().cert}`;
    const environment = { REDIS_URL: "rediss://a", REDIS_TLS_CA: write("ca", text) };
    expect(configFaults(environment)).toEqual([]);
  });

  const { cert } = selfSigned();
  test.each([
    ["an empty file", ""],
    ["text", "not PEM"],
    ["a begin", "-----BEGIN CERTIFICATE-----\n"],
    ["a second one that is cut off", cert + cert.slice(0, 300)],
    ["a second one that is damaged", cert + cert.replace(/\n.{8}/, "\nAAAAAAAA")],
  ])("reports authorities: %s", (_what, text) => {
    const environment = { REDIS_URL: "rediss://a", REDIS_TLS_CA: write("ca", text) };
    expect(configFaults(environment)).toEqual([
      expect.stringMatching(/^REDIS_TLS_CERT, REDIS_TLS_KEY or REDIS_TLS_CA has no valid PEM/),
    ]);
  });
});

describe("effective settings", () => {
  test("have a source", () => {
    const path = write("settings.env", "PORT=9000\nLOG_LEVEL=warn\n");
    const url = write("url", "redis://a");
    const environment = { CONFIG_FILE: path, LOG_LEVEL: "debug", REDIS_URL_FILE: url };
    const rows = [
      ["HOST", "127.0.0.1", "default"],
      ["PORT", "9000", "file", path],
      ["LOG_LEVEL", "debug", "environment"],
      ["REDIS_URL", "redis://a", "file", url],
      ["TLS_CERT", null, "default"],
    ] as const;
    for (const [name, value, source, file] of rows) {
      expect(effective(environment, name)).toEqual({ name, value, source, ...(file && { file }) });
    }
  });

  test.each([
    ["redis://:geheim@a", "redis://:***@a"],
    [
      "rediss://u:geheim@a:1/2, rediss://u:geheim@[::1]",
      "rediss://u:***@a:1/2,rediss://u:***@[::1]",
    ],
    ["redis://u@a?password=geheim#geheim", "***"],
    ["http://geheim@a", "***"],
    ["geheim,redis://a", "***"],
    ["redis://u:1234,geheim@a", "***"],
    ["redis://u:1234#geheim@a:1", "***"],
    ["redis://u:1234?geheim@a:1", "***"],
  ])("show no password of REDIS_URL=%s", (url, shown) => {
    expect(effective({ REDIS_URL: url }, "REDIS_URL")).toMatchObject({ value: shown });
  });
});
