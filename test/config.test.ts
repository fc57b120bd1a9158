import { describe, expect, it } from "vitest";
import { readConfig } from "../src/config.ts";

describe("configuration", () => {
  it("has a default for everything", () => {
    expect(readConfig({})).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      redisUrl: undefined,
      tls: undefined,
      maxBodyBytes: 65_536,
      anonymousLimits: { perMinute: 600, perDay: 10_000 },
      corsOrigins: [],
      logLevel: "info",
    });
  });

  it("takes an empty variable for one that is not set", () => {
    expect(readConfig({ PORT: "", REDIS_URL: "" })).toMatchObject({
      port: 8080,
      redisUrl: undefined,
    });
  });

  it.each([
    ["on in memory", {}, true],
    ["off on Redis", { REDIS_URL: "redis://localhost" }, false],
    ["off by setting", { GRPC_REFLECTION: "off" }, false],
    ["on by setting", { REDIS_URL: "redis://localhost", GRPC_REFLECTION: "on" }, true],
  ])("has reflection %s", (_, environment, grpcReflection) => {
    expect(readConfig(environment)).toMatchObject({ grpcReflection });
  });

  it("reads lists", () => {
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

  it("reads the base addresses for the document", () => {
    const text = "https://api.example/v1,http://localhost:8080/shop/v1";
    expect(readConfig({ OPENAPI_SERVERS: text }).openApiServers).toEqual(text.split(","));
    expect(readConfig({}).openApiServers).toEqual([]);
  });

  it("reads a date as the beginning of the day in UTC", () => {
    expect(readConfig({ PETS_SUNSET: "2027-01-02" }).petsSunset).toBe(Date.UTC(2027, 0, 2));
  });

  it.each([
    ["PORT", "abc"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "8080.0"],
    ["HOST", "a b"],
    ["MAX_BODY_BYTES", "1kB"],
    ["MAX_BODY_BYTES", "0"],
    ["MAX_BATCH_BODY_BYTES", "0"],
    ["OPENAPI_SERVERS", "api.example/v1"],
    ["OPENAPI_SERVERS", "https://api.example"],
    ["OPENAPI_SERVERS", "https://api.example/v1/"],
    ["OPENAPI_SERVERS", "https://api.example/v1#a"],
    ["OPENAPI_SERVERS", "ftp://api.example/v1"],
    ["TRUSTED_PROXIES", "proxy.example"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["CORS_ORIGINS", "shop.example"],
    ["CORS_ORIGINS", "https://shop.example/path"],
    ["PETS_SUNSET", "2027-13-01"],
    ["PETS_SUNSET", "tomorrow"],
    ["LOG_LEVEL", "verbose"],
    ["ANONYMOUS_PER_MINUTE", "0"],
  ])("refuses %s=%s, and names the variable and the value", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(
      new RegExp(`^${name} is "${value}": it must`),
    );
  });

  it.each(["http://:secret@localhost:6379", "localhost:6379", "redis://"])(
    "refuses REDIS_URL=%s without telling its value, which may hold a password",
    (value) => {
      expect(() => readConfig({ REDIS_URL: value })).toThrow(
        /^REDIS_URL is not valid: it must be a redis:\/\/ or rediss:\/\/ URL$/,
      );
    },
  );

  it("wants both TLS files or none", () => {
    expect(() => readConfig({ TLS_CERT: "cert.pem" })).toThrow("TLS_CERT and TLS_KEY go together");
    expect(() => readConfig({ TLS_KEY: "key.pem" })).toThrow("TLS_CERT and TLS_KEY go together");
    expect(readConfig({ TLS_CERT: "c", TLS_KEY: "k" }).tls).toEqual({
      certFile: "c",
      keyFile: "k",
    });
  });

  it("names all that is wrong at once, a line each", () => {
    expect(() => readConfig({ PORT: "x", LOG_LEVEL: "y" })).toThrow(/^PORT .*\nLOG_LEVEL .*$/);
  });
});
