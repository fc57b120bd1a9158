import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { readConfig } from "../../../src/config/config.ts";
import { directoryOfTest } from "../../support/directory.ts";
import { newDirectory } from "../harness/directory.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import {
  chart,
  find,
  kustomize,
  podTemplates,
  type Resource,
  type Result,
  runHelm,
  type Selector,
  selects,
  validate,
  versions,
} from "./manifests.ts";
import { settingNames } from "./settings.ts";
import { helm, parseYaml } from "./tools.ts";

const root = join(import.meta.dirname, "../../..");

/** The chart as it is published. */
const packed = packChart();

function packChart(): string {
  const folder = newDirectory();
  const { code, output } = runHelm(["package", chart, "--destination", folder]);
  expect({ code, output }).toMatchObject({ code: 0 });
  return join(folder, `inventory-${manifest.version}.tgz`);
}

const keyPair = { certKey: "tls.crt", keyKey: "tls.key" };
const redisTls = { existingSecret: "redis-tls", ...keyPair, serverName: "redis" };

/** Values that turn on every resource. */
const everything = {
  backup: { enabled: true },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  relays: {
    erp: { to: "https://erp.example/hooks", existingSecret: "erp", options: ["--below=5"] },
  },
  tls: { existingSecret: "inventory-tls" },
  redis: { mode: "cluster", username: "inventory", passwordKey: "password", tls: redisTls },
};

/** Runs `helm template` with values. */
function template(values: object, release = "inventory", ...args: readonly string[]): Result {
  const command = ["template", release, packed, "--values=-", "--kube-version=1.37", ...args];
  const { config, ...others } = values as { config?: object };
  const input = { config: { TRUSTED_PROXIES: "", ...config }, ...others };
  return runHelm(command, JSON.stringify(input));
}

/** The result of a command that fails. */
const refused = (reason: string) => ({ code: 1, output: expect.stringContaining(reason) });

/** Makes the resources of a release. */
function render(values: object, release?: string, ...args: readonly string[]): Resource[] {
  const { code, output } = template(values, release, ...args);
  expect({ code, error: code === 0 ? "" : output }).toEqual({ code: 0, error: "" });
  return parseYaml(output) as Resource[];
}

/** The container of the service. */
function serverOf(resources: readonly Resource[], name?: string) {
  const pod = find(resources, "Deployment", name).spec.template.spec;
  return { pod, container: pod.containers[0] };
}

/** What kustomize and Helm add to resources, each in its own way. */
const added = new Set([
  "namespace",
  "app.kubernetes.io/instance",
  "app.kubernetes.io/managed-by",
  "app.kubernetes.io/version",
  "helm.sh/chart",
  "checksum/config",
]);

/** Resources by kind and name, without what kustomize and Helm add, such as the hash in the name of a ConfigMap. */
function comparable(resources: readonly Resource[]): Record<string, unknown> {
  const bare = JSON.parse(JSON.stringify(resources), (name, value) => {
    if (added.has(name)) return undefined;
    return name === "name" ? String(value).replace(/^inventory-[0-9a-z]{10}$/, "inventory") : value;
  }) as Resource[];
  return Object.fromEntries(bare.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
}

const nodes = ["10.20.0.0/24", "10.20.1.0/24", "10.20.2.0/24"];
const toNodes = { networkPolicy: { redis: { to: nodes.map((cidr) => ({ ipBlock: { cidr } })) } } };
const redisPods = { podSelector: { matchLabels: { "app.kubernetes.io/component": "redis" } } };

test("helm lint finds nothing", () => {
  const { code, output } = runHelm(["lint", packed, "--strict", "--kube-version=1.37"]);
  expect(output).toContain("1 chart(s) linted, 0 chart(s) failed");
  expect(output).not.toMatch(/WARNING|ERROR/);
  expect(code).toBe(0);
});

describe("the chart makes the resources of deploy/kubernetes", () => {
  test.each([
    ["production", "defaults", {}],
    ["cluster", "redis.mode", { redis: { mode: "cluster" }, ...toNodes }],
    [
      "development",
      "a URL, and the Redis of the overlay",
      {
        image: { repository: "inventory-service", tag: "latest", pullPolicy: "IfNotPresent" },
        redis: { url: "redis://inventory-redis:6379" },
        autoscaling: { minReplicas: 1, maxReplicas: 2 },
        resources: { requests: { cpu: "100m" } },
        networkPolicy: { redis: { to: [redisPods] } },
      },
    ],
  ])("%s: %s", (overlay, _, values) => {
    const expected = comparable(parseYaml(kustomize(overlay, "TRUSTED_PROXIES=")) as Resource[]);
    for (const name of Object.keys(expected)) {
      if (name.endsWith(" inventory-redis") || name.startsWith("Namespace")) delete expected[name];
    }
    expect(Object.keys(expected)).toHaveLength(8);
    expect(comparable(render(values))).toEqual(expected);
  });
});

describe("the relays of the chart", () => {
  const erp = { to: "https://erp.example/hooks", existingSecret: "inventory-relay" };
  const network = [{ ipBlock: { cidr: "10.30.0.0/24" } }];

  test("are those of deploy/kubernetes/relay", () => {
    const component = parseYaml(kustomize("production", "TRUSTED_PROXIES=", "relay")) as Resource[];
    const expected = find(component, "Deployment", "inventory-relay").spec;
    const {
      selector,
      template: pod,
      ...own
    } = find(
      render({ relays: { main: { ...erp, network } } }),
      "Deployment",
      "inventory-relay-main",
    ).spec;
    expect(own).toEqual({ replicas: expected.replicas, strategy: expected.strategy });
    expect(selects(selector.matchLabels, pod.metadata.labels)).toBe(true);
    const [container] = pod.spec.containers;
    const [inComponent] = expected.template.spec.containers;
    const { envFrom: _, ...others } = inComponent;
    expect(container).toMatchObject(others);
    const grace = expected.template.spec.terminationGracePeriodSeconds;
    expect(pod.spec.terminationGracePeriodSeconds).toBe(grace);
  });

  test("can be as docs/operator/relay.md has them", () => {
    const page = readFileSync(join(root, "docs/operator/relay.md"), "utf8");
    const [, yaml = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
    const [values] = parseYaml(yaml) as [object];
    const pod = find(render(values), "Deployment", "inventory-relay-erp").spec.template.spec;
    expect(pod.containers[0].args).toEqual([
      "dist/cli/start.js",
      "history",
      "relay",
      "erp",
      "--to=https://erp.example/hooks",
      "--secret-file=/run/secrets/relay/secret",
      "--below=5",
    ]);
  });

  test("have a policy and pods of their own", () => {
    const resources = render({ relays: { a: { ...erp, network }, b: erp } });
    const pods = podTemplates(resources);
    for (const name of ["inventory", "inventory-relay-a", "inventory-relay-b"]) {
      const { podSelector } = find(resources, "NetworkPolicy", name).spec;
      const selected = pods.filter(({ metadata }) =>
        selects(podSelector.matchLabels, metadata.labels),
      );
      expect(selected).toEqual([find(resources, "Deployment", name).spec.template]);
    }
    const { egress } = find(resources, "NetworkPolicy", "inventory-relay-a").spec;
    expect(egress.at(-1)).toEqual({ to: network });
  });

  test.each([
    [{ erp: { to: erp.to } }, "existingSecret"],
    [{ erp: { existingSecret: "a" } }, "to"],
    [{ erp: { ...erp, to: "erp" } }, "to"],
    [{ "a name": erp }, "a name"],
    [{ erp: { ...erp, secret: "whsec_" } }, "secret"],
  ])("%j are refused", (relays, reason) => {
    expect(template({ relays })).toEqual(refused(reason));
  });
});

describe("with every resource", () => {
  test.each(versions)("is valid in Kubernetes %s", (version) => {
    const { output } = template(everything, "inventory", `--kube-version=${version}`);
    // The definition of a ServiceMonitor comes from the Prometheus operator.
    const builtIn = output
      .split(/^---$/m)
      .filter((each) => !/^kind: (?:Service|Pod)Monitor$/m.test(each));
    expect(builtIn.length).toBeGreaterThan(10);
    expect(validate(builtIn.join("---\n"), version)).toEqual({ code: 0, output: "" });
  });

  test("is not valid in Kubernetes 1.29", () => {
    const result = template(everything, "inventory", "--kube-version=1.29");
    expect(result).toEqual(refused("chart requires kubeVersion: >=1.30.0-0"));
  });

  test("meets the restricted standard for pods, with a read-only root", () => {
    const seccompProfile = { type: "RuntimeDefault" };
    const templates = podTemplates(render(everything));
    expect(templates).toHaveLength(3);
    for (const { spec } of templates) {
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile });
      for (const { securityContext } of [...(spec.initContainers ?? []), ...spec.containers]) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
      }
    }
  });

  test("takes files only from secrets that are mounted, and sets only settings of the service", () => {
    const resources = render(everything);
    const settings = find(resources, "ConfigMap").data ?? {};
    expect(settings).toMatchObject({
      REDIS_MODE: "cluster",
      REDIS_USERNAME: "inventory",
      REDIS_TLS_SERVERNAME: "redis",
    });
    const files = podTemplates(resources).map(({ spec }) => {
      const [container] = [...(spec.initContainers ?? []), ...spec.containers];
      const secretOf = new Map(spec.volumes.map(({ name, secret }) => [name, secret?.secretName]));
      return Object.fromEntries(
        (container?.env ?? []).map(({ name, value = "" }) => {
          const mount = container?.volumeMounts.find(
            ({ mountPath }) => mountPath === dirname(value),
          );
          return [name, `${secretOf.get(mount?.name ?? "")}: ${value.split("/").at(-1)}`];
        }),
      );
    });
    const redis = {
      REDIS_URL_FILE: "inventory-redis: url",
      REDIS_PASSWORD_FILE: "inventory-redis: password",
      REDIS_TLS_CA: "redis-tls: ca.crt",
      REDIS_TLS_CERT: "redis-tls: tls.crt",
      REDIS_TLS_KEY: "redis-tls: tls.key",
    };
    const server = { TLS_CERT: "inventory-tls: tls.crt", TLS_KEY: "inventory-tls: tls.key" };
    expect(files).toContainEqual({ ...redis, ...server });
    expect(files).toContainEqual(redis);
    const names = [...Object.keys(settings), ...files.flatMap((each) => Object.keys(each))];
    expect(names.filter((name) => !settingNames.has(name))).toEqual([]);
  });

  test("probes with TLS, but the admin port without, and says so to ingress controllers", () => {
    const resources = render(everything);
    const { container } = serverOf(resources);
    expect(container.startupProbe.httpGet.scheme).toBe("HTTPS");
    expect(container.readinessProbe.httpGet.scheme).toBe("HTTPS");
    expect(container.livenessProbe.httpGet.scheme).toBeUndefined();
    for (const name of ["inventory", "inventory-pods"]) {
      expect(find(resources, "Service", name).spec.ports[0].appProtocol).toBe("https");
    }
  });

  test("lets Prometheus find each pod once, with a job that the alerts know", () => {
    const resources = render(everything, "shop");
    const monitor = find(resources, "ServiceMonitor", "shop-inventory");
    expect(monitor.metadata.labels.release).toBe("prometheus");
    const services = resources.filter(
      ({ kind, metadata }) =>
        kind === "Service" && selects(monitor.spec.selector.matchLabels, metadata.labels),
    );
    expect(services.map(({ metadata }) => metadata.name)).toEqual(["shop-inventory-metrics"]);
    expect(services[0]?.metadata.labels[monitor.spec.jobLabel]).toBe("inventory");
    const [endpoint] = monitor.spec.endpoints;
    const port = services[0]?.spec.ports.find(
      (each: { name: string }) => each.name === endpoint.port,
    );
    const { container } = serverOf(resources, "shop-inventory");
    expect(container.ports).toContainEqual({ name: port.targetPort, containerPort: 9464 });
    const [server] = podTemplates(resources);
    expect(Object.keys(server?.metadata.annotations ?? {})).toEqual(["checksum/config"]);
  });
});

describe("two releases in a namespace", () => {
  const releases = () => ["inventory", "shop"].map((release) => render(everything, release));

  test("have no resource in common", () => {
    const names = releases().map((all) =>
      all.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    );
    expect(names[0]).toHaveLength(16);
    expect(names.flat()).toHaveLength(new Set(names.flat()).size);
  });

  test("select their own pods: those of the service, of backups, or of a relay", () => {
    const [first = [], second = []] = releases();
    const pods = podTemplates([...first, ...second]).map(({ metadata }) => metadata.labels);
    const [server] = podTemplates([find(first, "Deployment")]);
    const [backup] = podTemplates([find(first, "CronJob", "inventory-backup")]);
    const [relay] = podTemplates([find(first, "Deployment", "inventory-relay-erp")]);
    const selectors = (
      first.map(({ kind, metadata, spec }) => [
        `${kind} ${metadata.name}`,
        spec?.podSelector?.matchLabels ??
          spec?.selector?.matchLabels ??
          (kind === "Service" ? spec.selector : undefined),
      ]) as [string, Selector | undefined][]
    ).filter(([name, selector]) => selector && !name.startsWith("ServiceMonitor"));
    expect(pods).toHaveLength(6);
    expect(selectors).toHaveLength(10);
    for (const [name, selector] of selectors) {
      const selected = pods.filter((labels) => selects(selector ?? {}, labels));
      const others = name.endsWith("-backup") ? backup : server;
      const wanted = name.endsWith("-relay-erp") ? relay : others;
      expect([name, selected]).toEqual([name, [wanted?.metadata.labels]]);
    }
    const { pod } = serverOf(first);
    for (const { labelSelector } of pod.topologySpreadConstraints) {
      expect(pods.filter((labels) => selects(labelSelector.matchLabels, labels))).toHaveLength(1);
    }
  });
});

describe("values", () => {
  test("pass settings as they are, whatever characters and size they have", () => {
    const config = {
      CORS_ORIGINS: 'it\'s: "yes" # \\ \n\u2028{{ fail }} é',
      MAX_UNREAD_BYTES: 1099511627776,
      HISTORY_LENGTH: 100000000,
      ACCESS_LOG_SAMPLE: 0.00001,
      DRAIN_DELAY_MS: 0,
    };
    const { data } = find(render({ config }), "ConfigMap");
    expect(data).toEqual({
      ADMIN_ADDR: "0.0.0.0:9464",
      DRAIN_TIMEOUT_MS: "20000",
      TRUSTED_PROXIES: "",
      ...config,
      MAX_UNREAD_BYTES: "1099511627776",
      HISTORY_LENGTH: "100000000",
      ACCESS_LOG_SAMPLE: "0.00001",
      DRAIN_DELAY_MS: "0",
    });
  });

  test("of settings mean the same to the service", () => {
    const config = { ACCESS_LOG_SAMPLE: 0.00001, MAX_UNREAD_BYTES: 1099511627776, WORKERS: 2 };
    const { data } = find(render({ config }), "ConfigMap");
    expect(readConfig({ REDIS_URL: "redis://redis", ...data })).toMatchObject({
      accessLogSample: 0.00001,
      listener: { unread: { maxBytes: 1099511627776 } },
      workers: 2,
    });
  });

  test("of a secret, a sentinel and variables reach the pod", () => {
    const valueFrom = { secretKeyRef: { name: "otlp", key: "headers" } };
    const extraEnv = [
      { name: "NODE_OPTIONS", value: "--title=\"a 'b' $(c)\"" },
      { name: "ONE", value: "1" },
      { name: "OTEL_EXPORTER_OTLP_HEADERS", valueFrom },
    ];
    const redis = { mode: "sentinel", sentinelName: "primary", urlKey: "redis-url" };
    const resources = render({ extraEnv, redis: { ...redis, existingSecret: "my.secret" } });
    const settings = { REDIS_MODE: "sentinel", REDIS_SENTINEL_NAME: "primary" };
    expect(find(resources, "ConfigMap").data).toMatchObject(settings);
    const { pod, container } = serverOf(resources);
    const url = { name: "REDIS_URL_FILE", value: "/run/secrets/redis/redis-url" };
    expect(container.env).toEqual([url, ...extraEnv]);
    expect(pod.volumes[0].secret.secretName).toBe("my.secret");
  });

  test("need no secret with a URL that has no password", () => {
    const redis = { url: "redis://a:6379,redis://user@b:6379", existingSecret: "" };
    const { pod, container } = serverOf(render({ redis }));
    expect(container.env).toEqual([{ name: "REDIS_URL", value: redis.url }]);
    expect(pod.volumes.map(({ name }: { name: string }) => name)).toEqual(["tmp"]);
  });

  test.each([
    [{}, 35],
    [{ DRAIN_DELAY_MS: 0, DRAIN_TIMEOUT_MS: 30_001 }, 36],
    [{ DRAIN_DELAY_MS: null, DRAIN_TIMEOUT_MS: null }, 20],
    [{ DRAIN_TIMEOUT_MS: 3_600_000 }, 3_615],
  ])("of the drain %j make a grace period of %d s", (config, seconds) => {
    expect(serverOf(render({ config })).pod.terminationGracePeriodSeconds).toBe(seconds);
  });

  test("must say which proxies the service trusts, or that there are none", () => {
    const proxies = (value: unknown) => template({ config: { TRUSTED_PROXIES: value } });
    const unset = runHelm(["template", "inventory", packed, "--kube-version=1.37"]);
    expect(unset).toEqual(refused("set config.TRUSTED_PROXIES to the addresses of your proxies"));
    expect(proxies(null)).toEqual(refused("at '/config/TRUSTED_PROXIES': got null"));
    for (const value of ["", "10.1.2.0/24,2001:db8::/48"]) {
      const data = find(parseYaml(proxies(value).output) as Resource[], "ConfigMap").data;
      expect(data?.TRUSTED_PROXIES).toBe(value);
    }
  });

  test("admit everybody as a client, or only whom they name", () => {
    const clientsOf = (values: object) =>
      find(render(values), "NetworkPolicy").spec.ingress.find(
        ({ ports }: { ports: readonly { port: string }[] }) => ports[0]?.port === "http",
      );
    const ports = [{ port: "http" }];
    expect(clientsOf({})).toEqual({ ports });
    const matchLabels = { "kubernetes.io/metadata.name": "ingress-nginx" };
    const from = [{ namespaceSelector: { matchLabels } }];
    expect(clientsOf({ networkPolicy: { clientsFrom: from } })).toEqual({ from, ports });
  });

  test("of settings replace the pods when they change", () => {
    const [before, same, after] = [{}, { replicas: 4 }, { config: { LOG_LEVEL: "warn" } }].map(
      (values) => podTemplates(render(values))[0]?.metadata.annotations?.["checksum/config"],
    );
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(same).toBe(before);
    expect(after).not.toBe(before);
  });

  test("set the number of pods only without the autoscaler, which would be overruled", () => {
    const scaled = render({ replicas: 7 });
    expect(find(scaled, "Deployment").spec.replicas).toBeUndefined();
    const fixed = render({ replicas: 7, autoscaling: { enabled: false } });
    expect(find(fixed, "Deployment").spec.replicas).toBe(7);
    expect(fixed.map(({ kind }) => kind)).not.toContain("HorizontalPodAutoscaler");
  });

  test("remove the metric of an autoscaler without an adapter", () => {
    const resources = render({ autoscaling: { requestsInFlight: null } });
    const { spec } = find(resources, "HorizontalPodAutoscaler");
    expect(spec.metrics.map(({ type }: { type: string }) => type)).toEqual(["Resource"]);
  });

  test("turn resources off", () => {
    const off = { enabled: false };
    const values = { autoscaling: off, podDisruptionBudget: off, networkPolicy: off };
    const resources = render({ ...values, serviceAccount: { create: false, name: "shared" } });
    const kinds = resources.map(({ kind }) => kind).sort();
    expect(kinds).toEqual(["ConfigMap", "Deployment", "Service", "Service"]);
    expect(serverOf(resources).pod.serviceAccountName).toBe("shared");
  });

  test("for the scheduler, registries and administrators are passed on", () => {
    const pod = {
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "shop", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "high",
    };
    const mount = { name: "authority", mountPath: "/etc/authority" };
    const volume = { name: "authority", configMap: { name: "authority" } };
    const podLabels = { team: "shop" };
    const podAnnotations = { note: 'yes: "1"', "prometheus.io/scrape": "false" };
    const tag = `7.6.5@sha256:${"a".repeat(64)}`;
    const resources = render({
      ...everything,
      ...pod,
      image: { tag },
      extraVolumes: [volume],
      extraVolumeMounts: [mount],
      podLabels,
      podAnnotations,
      service: { type: "LoadBalancer", port: 443, annotations: { internal: "true" } },
      serviceAccount: { annotations: { role: "none" } },
      networkPolicy: { extraEgress: [{ ports: [{ port: 4318 }] }] },
      backup: { enabled: true, existingClaim: "backups", timeZone: "Europe/Rome", keep: 3 },
    });
    const { affinity: _, ...others } = pod;
    const [server, relay, backup] = podTemplates(resources);
    expect(server?.spec).toMatchObject(pod);
    for (const each of [relay, backup]) expect(each?.spec).toMatchObject(others);
    const component = { "app.kubernetes.io/component": "server" };
    expect(server?.metadata.labels).toMatchObject({ ...podLabels, ...component });
    expect(server?.metadata.annotations).toMatchObject(podAnnotations);
    for (const { spec } of podTemplates(resources)) {
      const [container] = [...(spec.initContainers ?? []), ...spec.containers];
      expect(container?.image).toBe(`registry.example/inventory-service:${tag}`);
      expect(container?.volumeMounts).toContainEqual(mount);
      expect(spec.volumes).toContainEqual(volume);
    }
    const service = find(resources, "Service");
    expect(service.metadata.annotations).toEqual({ internal: "true" });
    expect(service.spec).toMatchObject({ type: "LoadBalancer", ports: [{ port: 443 }] });
    expect(find(resources, "ServiceAccount").metadata.annotations).toEqual({ role: "none" });
    for (const name of ["inventory", "inventory-backup"]) {
      const { egress } = find(resources, "NetworkPolicy", name).spec;
      expect(egress.at(-1)).toEqual({ ports: [{ port: 4318 }] });
    }
    expect(find(resources, "CronJob", "inventory-backup").spec.timeZone).toBe("Europe/Rome");
    expect(resources.map(({ kind }) => kind)).not.toContain("PersistentVolumeClaim");
    const persistentVolumeClaim = { claimName: "backups" };
    expect(backup?.spec.volumes).toContainEqual({ name: "backup", persistentVolumeClaim });
  });

  test("of an upgrade make the same resources as an installation", () => {
    const upgraded = render(everything, "inventory", "--is-upgrade");
    expect(upgraded).toEqual(render(everything));
    const { selector } = find(upgraded, "Deployment").spec;
    // Kubernetes refuses to change a selector, so it has no version.
    const labels = ["name", "instance", "component"].map((name) => `app.kubernetes.io/${name}`);
    expect(Object.keys(selector.matchLabels)).toEqual(labels);
  });

  const named = { "app.kubernetes.io/name": "shop" };
  const withPassword = { existingSecret: "", url: "redis://a", passwordKey: "p" };
  const invalidName = "invalid propertyName 'app.kubernetes.io/name'";
  test.each<[path: string, value: unknown, reason: string]>([
    ["redis.existingSecrt", "a", "at '/redis': additional properties 'existingSecrt' not"],
    ["replicas", "3", "at '/replicas': got string, want integer"],
    ["config.DRAIN_DELAY_MS", "10000", "at '/config/DRAIN_DELAY_MS': got string, want integer"],
    ["config.LOG_LEVEL", "loud", "at '/config/LOG_LEVEL': value must be one of"],
    ["config.MAX_CONNECTIONS", 0, "at '/config/MAX_CONNECTIONS': minimum"],
    ["config.REDIS_URL", "redis://a", "additional properties 'REDIS_URL' not allowed"],
    ["extraEnv", [{ name: "REDIS_URL", value: "redis://a" }], "at '/extraEnv/0/name'"],
    ["redis.mode", "ring", "at '/redis/mode': value must be one of 'single', 'sentinel', 'clu"],
    ["redis.url", "redis://user:secret@a", "at '/redis/url'"],
    ["redis.url", "redis://a?password=secret", "at '/redis/url'"],
    ["networkPolicy.redis.to", [], "at '/networkPolicy/redis/to': minItems: got 0, want 1"],
    ["networkPolicy.clientsFrom", [{}], "at '/networkPolicy/clientsFrom/0': minProperties"],
    ["networkPolicy.clientsFrom", null, "at '/networkPolicy': missing property 'clientsFrom'"],
    ["networkPolicy.redis.to", null, "at '/networkPolicy/redis': missing property 'to'"],
    ["podDisruptionBudget.maxUnavailable", "half", "at '/podDisruptionBudget/maxUnavailable'"],
    ["backup.keep", 0, "at '/backup/keep': minimum: got 0, want 1"],
    ["backup.schedule", "daily", "at '/backup/schedule'"],
    ["podLabels", named, invalidName],
    ["serviceMonitor.labels", named, invalidName],
    ["redis.mode", "sentinel", "redis.mode sentinel needs redis.sentinelName"],
    ["redis.existingSecret", "", "set redis.existingSecret, or redis.url"],
    ["redis", withPassword, "set redis.existingSecret"],
    ["autoscaling.minReplicas", 30, "autoscaling.minReplicas is more than"],
    ["autoscaling", { requestsInFlight: null, cpuPercent: null }, "autoscaling needs requestsInFl"],
    ["fullnameOverride", "a".repeat(46), "set fullnameOverride to at most 45 of"],
  ])("are refused with the reason: %s is %j", (path, value, reason) => {
    const values = path.split(".").reduceRight((inner, name) => ({ [name]: inner }), value);
    expect(template(values as object)).toEqual(refused(reason));
  });

  test.each(["shop.1", "1shop", "a".repeat(53)])("need a name for the release %s", (release) => {
    expect(template({}, release).output).toContain("set fullnameOverride to at most 45 of");
    expect(find(render({ fullnameOverride: "shop" }, release), "Deployment", "shop")).toBeDefined();
  });
});

test("names that YAML would read as other types stay texts", () => {
  const names = { fullnameOverride: "on", serviceAccount: { name: "123" } };
  const { output } = template({ ...everything, ...names }, "1e3");
  const resources = (parseYaml(output) as Resource[]).filter(
    ({ kind }) => !/^(?:Service|Pod)Monitor$/.test(kind),
  );
  const { labels } = find(resources, "Deployment", "on").metadata;
  expect(labels["app.kubernetes.io/instance"]).toBe("1e3");
  expect(serverOf(resources, "on").pod.serviceAccountName).toBe("123");
  const documents = resources.map((each) => JSON.stringify(each)).join("\n---\n");
  expect(validate(documents, "1.37")).toEqual({ code: 0, output: "" });
});

test("the command of docs/operator/deployment.md installs the chart", () => {
  const docs = readFileSync(join(root, "docs/operator/deployment.md"), "utf8");
  const [command = ""] = docs.match(/^helm install (?:.*\\\n)*.*$/m) ?? [];
  const script = `set -- ${command}; shift 2; exec "$0" template --kube-version=1.37 "$@"`;
  const { status, stdout } = spawnSync("sh", ["-c", script, helm], { cwd: root, encoding: "utf8" });
  expect(status).toBe(0);
  const { egress } = find(parseYaml(stdout) as Resource[], "NetworkPolicy").spec;
  expect(egress[1].to).toEqual([{ ipBlock: { cidr: "10.20.0.0/24" } }]);
});

describe("the backup", () => {
  beforeAll(() => {
    execFileSync(process.execPath, ["packaging/bundle.ts"], { cwd: root });
  });
  const resources = render({ ...everything, backup: { enabled: true, keep: 2 } });
  const [job] = podTemplates([find(resources, "CronJob", "inventory-backup")]);
  const { spec } = job as ReturnType<typeof podTemplates>[0];
  const steps = [...(spec.initContainers ?? []), ...spec.containers];

  /** Runs the steps of a job in a folder, until one fails. @returns the names of those that have passed */
  function runJob(folder: string, redisUrl: string, before = (_step: string) => {}): string[] {
    const passed: string[] = [];
    for (const { name, args = [] } of steps) {
      before(name);
      const command = args.map((arg) => arg.replace(/^\/backup/, folder));
      const env = { REDIS_URL: redisUrl };
      const { status } = spawnSync(process.execPath, command, { cwd: root, env });
      if (status !== 0) break;
      passed.push(name);
    }
    return passed;
  }

  test("is written, verified and named, and the oldest are deleted", async () => {
    const folder = directoryOfTest();
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const others = ["inventory-two-2020-01-01T000000Z.ndjson.gz", "lost+found"];
    const old = [1, 2, 3].map((day) => `inventory-2020-01-0${day}T000000Z.ndjson.gz`);
    for (const file of [...others, ...old]) writeFileSync(join(folder, file), "");
    expect(runJob(folder, redis.url)).toEqual(["backup", "verify", "keep"]);
    const files = readdirSync(folder).sort();
    const [kept, newest = "", ...untouched] = files;
    expect([kept, ...untouched]).toEqual([old[2], ...others]);
    expect(newest).toMatch(/^inventory-\d{4}-\d\d-\d\dT\d{6}Z\.ndjson\.gz$/);
    const verify = ["dist/cli/start.js", "verify", join(folder, newest)];
    expect(spawnSync(process.execPath, verify).status).toBe(0);

    // A damaged backup gets no name, and no other one is deleted for it.
    const damage = (step: string) => {
      if (step === "verify") writeFileSync(join(folder, ".inventory.unchecked"), "damaged");
    };
    expect(runJob(folder, redis.url, damage)).toEqual(["backup"]);
    expect(readdirSync(folder).sort()).toEqual([".inventory.unchecked", ...files]);
    // The next job replaces it.
    expect(runJob(folder, redis.url)).toEqual(["backup", "verify", "keep"]);
    expect(readdirSync(folder)).not.toContain(".inventory.unchecked");
  });

  test("makes the jobs with which docs/operator/disaster-recovery.md restores a backup", async () => {
    const folder = directoryOfTest();
    const [redis, empty] = [await startRedisServer(), await startRedisServer()];
    onTestFinished(async () => void (await Promise.all([redis.stop(), empty.stop()])));
    expect(runJob(folder, redis.url)).toEqual(["backup", "verify", "keep"]);
    const [file = ""] = readdirSync(folder);
    const docs = readFileSync(join(root, "docs/operator/disaster-recovery.md"), "utf8");
    const [, command = ""] = /^ {2}(jq .*) \|$/m.exec(docs) ?? [];

    /** Runs the job that the page makes from the CronJob. */
    function run(name: string, args: string) {
      const input = JSON.stringify({ spec: { template: { spec } } });
      const made = spawnSync("sh", ["-c", command, "sh", name, args], { input, encoding: "utf8" });
      const { containers, ...pod } = JSON.parse(made.stdout).spec.template.spec;
      const without = { initContainers: undefined, containers: undefined };
      expect({ ...pod, ...without }).toEqual({ ...spec, ...without });
      expect(containers).toEqual([{ ...steps[0], name, args: JSON.parse(args) }]);
      const inFolder = containers[0].args.map((arg: string) => arg.replace("/backup", folder));
      const env = { REDIS_URL: empty.url };
      return spawnSync(process.execPath, inFolder, { cwd: root, env, encoding: "utf8" });
    }

    const jobs = [...docs.matchAll(/^run_job (\w+) '(.*)'$/gm)];
    const outputs = jobs.map(([, name = "", args = ""]) => {
      const { status, stdout } = run(name, args.replace("FILE", file));
      return [name, status, stdout];
    });
    expect(outputs).toEqual([
      ["list", 0, expect.stringContaining(file)],
      ["restore", 0, expect.stringContaining("restored 0 items")],
      ["check", 0, expect.stringContaining("verified 0 items")],
    ]);
  });

  test("connects to Redis in its first step only, and writes to no other volume", () => {
    expect(steps.map(({ env }) => env !== undefined)).toEqual([true, false, false]);
    const mounts = steps.map(({ volumeMounts }) => volumeMounts.map(({ mountPath }) => mountPath));
    const first = ["/run/secrets/redis", "/run/secrets/redis-tls", "/tmp", "/backup"];
    expect(mounts).toEqual([first, ["/backup"], ["/backup"]]);
  });
});

test("the notes have commands for the release", () => {
  // Helm shows notes only with a cluster.
  const folder = directoryOfTest();
  cpSync(chart, folder, { recursive: true });
  const notes = readFileSync(join(chart, "templates/NOTES.txt"), "utf8");
  writeFileSync(join(folder, "templates/notes.yaml"), `notes: |\n${notes.replace(/^/gm, "  ")}`);
  const set = ["--set=service.port=81", "--set=config.TRUSTED_PROXIES="];
  const args = ["--namespace=shops", "--show-only=templates/notes.yaml", ...set];
  const { output } = runHelm(["template", "shop", folder, "--kube-version=1.37", ...args]);
  const run = "exec deployment/shop-inventory -- node dist/cli/start.js";
  expect((output.match(/kubectl .*/g) ?? []).map((line) => line.slice(26))).toEqual([
    `${run} accounts create --name shop --plan free`,
    `${run} keys create ACCOUNT`,
    "port-forward service/shop-inventory 8080:81",
  ]);
});
