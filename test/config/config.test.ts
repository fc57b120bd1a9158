import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";

describe("configuration", () => {
  test("has a default for every setting", () => {
    expect(readConfig({})).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      redis: undefined,
      tls: undefined,
      maxBodyBytes: 65_536,
      anonymousLimits: { perMinute: 600, perDay: 10_000 },
      corsOrigins: [],
      logLevel: "info",
    });
  });

  test.each([
    ["65536", 262_144],
    ["1000000", 1_000_000],
  ])("lets batches have bodies of 256 KiB, or more with MAX_BODY_BYTES=%s", (text, bytes) => {
    expect(readConfig({ MAX_BODY_BYTES: text }).maxBatchBodyBytes).toBe(bytes);
  });

  test("treats an empty variable as not set", () => {
    expect(readConfig({ PORT: "", REDIS_URL: "" })).toMatchObject({ port: 8080, redis: undefined });
  });

  test.each([
    ["on in memory", {}, true],
    ["on with Redis", { REDIS_URL: "redis://localhost" }, true],
    ["off by setting", { GRPC_REFLECTION: "off" }, false],
  ])("has reflection %s", (_, environment, grpcReflection) => {
    expect(readConfig(environment)).toMatchObject({ grpcReflection });
  });

  test.each([
    ["30 minutes by default", {}, { maxMs: 1_800_000, graceMs: 300_000 }],
    ["unlimited by 0", { MAX_CONNECTION_AGE_MS: "0" }, undefined],
    [
      "as it is set, and ends streams after the same time at most",
      { MAX_CONNECTION_AGE_MS: "60000" },
      { maxMs: 60_000, graceMs: 60_000 },
    ],
  ])("has a connection age that is %s", (_, environment, connectionAge) => {
    expect(readConfig(environment).connectionAge).toEqual(connectionAge);
  });

  test.each([
    ["90 days by default", {}, 7_776_000_000],
    ["a day", { ORDER_DAYS: "1" }, 86_400_000],
    ["for ever by 0", { ORDER_DAYS: "0" }, undefined],
  ])("keeps ended orders %s", (_, environment, keptMs) => {
    expect(readConfig(environment).orders.keptMs).toBe(keptMs);
  });

  test.each([
    ["unset", {}, undefined],
    ["0", { DRAIN_DELAY_MS: "0" }, 0],
    ["longer than DRAIN_TIMEOUT_MS", { DRAIN_DELAY_MS: "9000", DRAIN_TIMEOUT_MS: "1" }, 9_000],
  ])("accepts a drain delay that is %s", (_, environment, drainDelayMs) => {
    expect(readConfig(environment).drainDelayMs).toBe(drainDelayMs);
  });

  test("parses lists", () => {
    const { corsOrigins, trustedProxies } = readConfig({
      CORS_ORIGINS: "https://a.example, http://localhost:3000",
      TRUSTED_PROXIES: "10.0.0.0/8,2001:db8::1",
    });
    expect(corsOrigins).toEqual(["https://a.example", "http://localhost:3000"]);
    expect(trustedProxies.check("10.9.8.7", "ipv4")).toBe(true);
    expect(trustedProxies.check("11.9.8.7", "ipv4")).toBe(false);
    expect(trustedProxies.check("2001:db8::1", "ipv6")).toBe(true);
    expect(trustedProxies.check("2001:db8::2", "ipv6")).toBe(false);
  });

  test("parses a date as the beginning of the day in UTC", () => {
    expect(readConfig({ PETS_SUNSET: "2027-01-02" }).petsSunset).toBe(Date.UTC(2027, 0, 2));
  });

  test.each([
    ["PORT", "abc"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "8080.0"],
    ["HOST", "a b"],
    ["MAX_BODY_BYTES", "1kB"],
    ["MAX_BODY_BYTES", "0"],
    ["TRUSTED_PROXIES", "proxy.example"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["TRUSTED_PROXIES", "10.0.0.0/"],
    ["TRUSTED_PROXIES", "10.0.0.0/8/8"],
    ["TRUSTED_PROXIES", "10.0.0.0/0x8"],
    ["TRUSTED_PROXIES", "10.0.0.0/1e1"],
    ["CORS_ORIGINS", "shop.example"],
    ["CORS_ORIGINS", "https://shop.example/path"],
    ["PETS_SUNSET", "2027-13-01"],
    ["PETS_SUNSET", "2027-02-30"],
    ["PETS_SUNSET", "tomorrow"],
    ["LOG_LEVEL", "verbose"],
    ["ANONYMOUS_PER_MINUTE", "0"],
    ["MAX_CONNECTION_AGE_MS", "30"],
    ["MAX_CONNECTION_AGE_MS", "-1"],
    ["MAX_CONNECTION_AGE_MS", "604800001"],
    ["MAX_CONNECTION_AGE_MS", "30m"],
    ["DRAIN_DELAY_MS", "-1"],
    ["DRAIN_DELAY_MS", "3600001"],
    ["DRAIN_DELAY_MS", "5s"],
  ])("refuses %s=%s, and the error has the variable and the value", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(
      new RegExp(`^${name} is "${value}": it must`),
    );
  });

  const isUrl = "must be a redis:// or rediss:// URL, or several separated by commas";
  const hasHost = "must have a host, and a port from 1 to 65535 if any";
  const hasNoParameters = "must have no parameters after ? or #";
  const hasDigits = "must have two hexadecimal digits after each % of the password";
  const isEncoded = "must percent-encode the password";
  test.each([
    ["http://:secret@localhost:6379", isUrl],
    ["localhost:6379", isUrl],
    ["redis:localhost", isUrl],
    [",", isUrl],
    [" ", isUrl],
    ["redis://", hasHost],
    ["redis://localhost:65536", hasHost],
    ["redis://localhost:0", hasHost],
    ["redis://:secret,1@localhost", hasHost],
    ["redis://:secret%ZZ@localhost", hasDigits],
    ["redis://:100%secret@localhost", hasDigits],
    ["redis://:sec/ret@localhost", isEncoded],
    ["redis://:sec?ret@localhost", isEncoded],
    ["redis://:1234#secret@localhost:6379", isEncoded],
    ["redis://localhost?db=3", hasNoParameters],
    ["redis://localhost/?password=secret", hasNoParameters],
    ["redis://localhost:6379/3#secret", hasNoParameters],
    ["redis://localhost?", hasNoParameters],
    ["redis://localhost/secret", "must have nothing but a database number after the host"],
    ["redis://localhost:63\n79", "must be one line without tabs"],
    ["redis://localhost\n# second line", "must be one line without tabs"],
  ])(
    "refuses REDIS_URL=%s without showing its value, which may hold a password",
    (value, fault) => {
      const read = () => readConfig({ REDIS_URL: value });
      expect(read).toThrow(`REDIS_URL is not valid: it ${fault}`);
      expect(read).toThrow(/^(?!.*secret)[^\n]+$/);
    },
  );

  test.each([
    "redis://:sec/ret@localhost",
    "redis://:secret%ZZ@localhost",
    "redis://:secret,1@localhost",
    "redis://default:99999/secret",
  ])("says how to write a password in REDIS_URL=%s", (value) => {
    expect(() => readConfig({ REDIS_URL: value })).toThrow(/%2F %3F %23 %25 %2C and %40/);
  });

  test.each([
    ["HOST", "0.0.0.0:8080", "a host name or an IP address, without a port: set PORT"],
    ["HOST", "localhost:8080", "a host name or an IP address, without a port: set PORT"],
    ["HOST", "[::1]:8080", "a host name or an IP address, without a port: set PORT"],
    ["HOST", "256.0.0.1", "a host name or an IP address"],
    ["HOST", "1.2.3.4.5", "a host name or an IP address"],
    ["HOST", "10.0.0.1.", "a host name or an IP address"],
    ["HOST", "host.7", "a host name or an IP address"],
    ["HOST", "0", "a host name or an IP address"],
    ["ADMIN_ADDR", "256.0.0.1:9464", "an address with a port"],
    ["CORS_ORIGINS", "https://*.a.example", "name each origin in full"],
    ["CORS_ORIGINS", "https://a.example,https://*", "name each origin in full"],
    // Browsers send the port only if it is another than that of the scheme, and names in ASCII and small letters.
    ["CORS_ORIGINS", "https://A.example", "write https://a.example"],
    ["CORS_ORIGINS", "https://a.example/", "write https://a.example"],
    ["CORS_ORIGINS", "https://a.example:443", "write https://a.example"],
    ["CORS_ORIGINS", "https://b\u00fccher.example", "write https://xn--bcher-kva.example"],
    ["CORS_ORIGINS", "localhost:3000", "origins such as https://shop.example"],
  ])("refuses %s=%s", (name, value, advice) => {
    expect(() => readConfig({ [name]: value })).toThrow(advice);
  });

  test.each([
    "0.0.0.0",
    "::",
    "fe80::1%eth0",
    "localhost",
    "inventory.internal",
    "1.2.3.example",
    "node7",
  ])("listens on HOST=%s", (value) => {
    expect(readConfig({ HOST: value })).toMatchObject({ host: value });
  });

  const cluster = { REDIS_MODE: "cluster" };
  const sentinel = { REDIS_MODE: "sentinel" };
  const redis = "redis://a";
  test.each<[fault: string, environment: Record<string, string>]>([
    ["REDIS_MODE", { ...cluster }],
    ["REDIS_URL has several URLs", { REDIS_URL: "redis://a,redis://b" }],
    ["REDIS_URL mixes", { ...cluster, REDIS_URL: "redis://a,rediss://b" }],
    ["REDIS_URL has different", { ...cluster, REDIS_URL: "redis://:p@a,redis://:q@b" }],
    ["REDIS_URL has a database number", { ...cluster, REDIS_URL: "redis://a/1" }],
    ["set REDIS_SENTINEL_NAME", { ...sentinel, REDIS_URL: redis }],
    ["REDIS_SENTINEL_NAME is set, but", { REDIS_URL: redis, REDIS_SENTINEL_NAME: "main" }],
    ["REDIS_PASSWORD_FILE is set", { REDIS_URL: "redis://:p@a", REDIS_PASSWORD_FILE: "f" }],
    ["REDIS_USERNAME is set", { REDIS_URL: "redis://u:p@a", REDIS_USERNAME: "v" }],
    ["set REDIS_PASSWORD_FILE", { REDIS_URL: redis, REDIS_USERNAME: "v" }],
    ["REDIS_TLS_CERT and REDIS_TLS_KEY", { REDIS_URL: "rediss://a", REDIS_TLS_CERT: "f" }],
    ["use rediss:// in REDIS_URL", { REDIS_URL: redis, REDIS_TLS_CA: "f" }],
    ["REQUEST_TIMEOUT_MS must not be less", { REQUEST_TIMEOUT_MS: "5000" }],
  ])("refuses settings that contradict each other: %s", (fault, environment) => {
    // One line, without a password.
    const lines = /^(?!.*:[pq]@)[^\n]+$/;
    expect(() => readConfig(environment)).toThrow(fault);
    expect(() => readConfig(environment)).toThrow(lines);
  });

  test("reads the nodes of a cluster", () => {
    const environment = { ...cluster, REDIS_URL: "redis://u:p%40@a:7000, redis://u:p%40@[::1]" };
    expect(readConfig(environment).redis).toMatchObject({
      mode: "cluster",
      addresses: [
        { host: "a", port: 7000 },
        { host: "::1", port: 6379 },
      ],
      username: "u",
      password: "p@",
    });
  });

  test("reads sentinels, whose password is not that of the primary", () => {
    const environment = {
      ...sentinel,
      REDIS_URL: "rediss://:of-sentinels@a/3",
      REDIS_SENTINEL_NAME: "main",
      REDIS_PASSWORD_FILE: "f",
    };
    expect(readConfig(environment).redis).toMatchObject({
      addresses: [{ host: "a", port: 26379 }],
      password: undefined,
      passwordFile: "f",
      sentinelLogin: { username: undefined, password: "of-sentinels" },
      database: 3,
      tls: { caFile: undefined },
    });
  });

  test("requires both TLS files or none", () => {
    expect(() => readConfig({ TLS_CERT: "cert.pem" })).toThrow(
      "TLS_CERT and TLS_KEY must be set together",
    );
    expect(() => readConfig({ TLS_KEY: "key.pem" })).toThrow(
      "TLS_CERT and TLS_KEY must be set together",
    );
    expect(readConfig({ TLS_CERT: "c", TLS_KEY: "k" }).tls).toEqual({
      certFile: "c",
      keyFile: "k",
    });
  });

  test("reports all invalid settings at once, one line each", () => {
    expect(() => readConfig({ PORT: "x", LOG_LEVEL: "y" })).toThrow(/^PORT .*\nLOG_LEVEL .*$/);
  });
});
