import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attemptMs } from "../../../src/cli/follow/webhook.ts";
import { readConfig } from "../../../src/config/config.ts";
import {
  find as findIn,
  kubernetesFolder,
  kustomize,
  podTemplates,
  type Resource,
  type Selector,
  selects,
  type Template,
  validate,
  versions,
} from "./manifests.ts";
import { settingNames } from "./settings.ts";
import { parseYaml } from "./tools.ts";

/** Time for the process to exit after it has drained, in seconds. */
const exitSeconds = 5;

interface ScrapeConfig {
  readonly kubernetes_sd_configs: readonly { readonly namespaces: { readonly names: string[] } }[];
  readonly relabel_configs: readonly { readonly regex?: string }[];
}

describe.each(["development", "production", "cluster"])("the overlay %s", (overlay) => {
  const yaml = kustomize(overlay, "TRUSTED_PROXIES=");
  const resources = parseYaml(yaml) as Resource[];
  const find = (kind: string, name?: string) => findIn(resources, kind, name);
  const deployment = find("Deployment");
  const template: Template = deployment.spec.template;
  const [container] = template.spec.containers;
  const templates = podTemplates(resources);
  const settings = resources.find(({ kind }) => kind === "ConfigMap")?.data ?? {};

  test.each(versions)("is valid in Kubernetes %s", (version) => {
    expect(validate(yaml, version)).toEqual({ code: 0, output: "" });
  });

  test("has a grace period that fits the delay and timeout of the drain", () => {
    const drain = (Number(settings.DRAIN_DELAY_MS) + Number(settings.DRAIN_TIMEOUT_MS)) / 1_000;
    expect(drain).toBeGreaterThan(0);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + exitSeconds);
  });

  test("notices within the drain's delay that a pod is not ready", () => {
    const { periodSeconds, timeoutSeconds = 1, failureThreshold = 3 } = container.readinessProbe;
    const noticed = failureThreshold * (periodSeconds + timeoutSeconds);
    expect(noticed * 1_000).toBeLessThan(Number(settings.DRAIN_DELAY_MS));
  });

  test("sets only settings of the service, to valid values", () => {
    const environment = { ...settings };
    for (const { name, value } of container.env ?? []) environment[name] = value ?? "";
    expect(Object.keys(environment).filter((name) => !settingNames.has(name))).toEqual([]);
    const { REDIS_URL_FILE: secret, ...others } = environment;
    expect([others.REDIS_URL, secret].filter(Boolean)).toHaveLength(1);
    expect(() => readConfig({ REDIS_URL: "redis://redis", ...others })).not.toThrow();
  });

  test("meets the restricted standard for pods, with a read-only root", () => {
    expect(templates.length).toBeGreaterThan(0);
    for (const { spec } of templates) {
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      for (const { securityContext } of spec.containers) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
      }
    }
  });

  test("selects the service's pods and no others", () => {
    const selectors: Selector[] = [
      deployment.spec.selector.matchLabels,
      find("Service").spec.selector,
      find("Service", "inventory-pods").spec.selector,
      find("PodDisruptionBudget").spec.selector.matchLabels,
      find("NetworkPolicy").spec.podSelector.matchLabels,
      ...(template.spec.topologySpreadConstraints ?? []).map(
        ({ labelSelector }) => labelSelector.matchLabels,
      ),
    ];
    expect(selectors).toHaveLength(7);
    const selected = selectors.map((selector) =>
      templates.filter(({ metadata }) => selects(selector, metadata.labels)),
    );
    expect(selected).toEqual(selectors.map(() => [template]));
    expect(find("HorizontalPodAutoscaler").spec.scaleTargetRef.name).toBe(deployment.metadata.name);
  });

  test("probes liveness without Redis and the limit of connections, and readiness with both", () => {
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
      ({ httpGet }) => httpGet,
    );
    expect(paths).toEqual([
      { path: "/livez", port: "http" },
      { path: "/livez", port: "admin" },
      { path: "/readyz", port: "http" },
    ]);
    expect(container.ports).toContainEqual({ name: "http", containerPort: 8080 });
  });

  test("scales on a metric that the admin port shows to Prometheus", () => {
    const admin = Number(String(settings.ADMIN_ADDR).split(":").at(-1));
    expect(template.metadata.annotations?.["prometheus.io/port"]).toBe(`${admin}`);
    expect(container.ports).toContainEqual({ name: "admin", containerPort: admin });
    const metrics: { type: string; pods?: { metric: { name: string } } }[] =
      find("HorizontalPodAutoscaler").spec.metrics;
    expect(metrics.map(({ type, pods }) => pods?.metric.name ?? type)).toEqual([
      "inventory_requests_in_flight",
      "Resource",
    ]);
  });

  test("has the namespace, labels and ports by which the example of Prometheus finds its pods", () => {
    const example = readFileSync(join(kubernetesFolder, "../prometheus/kubernetes.yaml"), "utf8");
    const [{ scrape_configs: jobs }] = parseYaml(example) as [{ scrape_configs: ScrapeConfig[] }];
    const [job] = jobs;
    const [discovery] = job?.kubernetes_sd_configs ?? [];
    expect(discovery?.namespaces.names).toEqual([deployment.metadata.namespace]);
    const [filter] = job?.relabel_configs ?? [];
    const matching = container.ports.filter(({ name }) =>
      new RegExp(`^(?:${filter?.regex})$`).test(
        `${template.metadata.labels["app.kubernetes.io/name"]};${name}`,
      ),
    );
    expect(matching.map(({ name }) => name)).toEqual(["admin"]);
  });

  test("connects to Redis only where the network policy allows it", () => {
    const { egress } = find("NetworkPolicy").spec;
    const ports = (egress as { ports: { port: number }[] }[]).map((rule) =>
      rule.ports.map(({ port }) => port),
    );
    expect(ports).toEqual([[53, 53], [6379]]);
  });
});

test("the overlay cluster reads a Redis Cluster, and reaches all of its nodes", () => {
  const resources = parseYaml(kustomize("cluster", "TRUSTED_PROXIES=")) as Resource[];
  const settings = resources.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
  expect(readConfig({ REDIS_URL: "redis://a,redis://b", ...settings }).redis?.mode).toBe("cluster");
  const [, redis] = findIn(resources, "NetworkPolicy").spec.egress;
  expect(redis.to).toHaveLength(3);
});

describe("the component of a relay, in the overlay production", () => {
  const yaml = kustomize("production", "TRUSTED_PROXIES=", "relay");
  const resources = parseYaml(yaml) as Resource[];
  const deployment = findIn(resources, "Deployment", "inventory-relay");
  const template: Template = deployment.spec.template;
  const [container] = template.spec.containers;

  test.each(versions)("is valid in Kubernetes %s", (version) => {
    expect(validate(yaml, version)).toEqual({ code: 0, output: "" });
  });

  test("has one process at a time, with the time for an attempt", () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      attemptMs / 1_000 + exitSeconds,
    );
  });

  test("has the image, settings and Redis of the service", () => {
    const server = findIn(resources, "Deployment").spec.template.spec.containers[0];
    expect(container.image).toBe(server.image);
    expect(container).toMatchObject({ env: server.env, envFrom: server.envFrom });
    expect(deployment.metadata.namespace).toBe("inventory");
  });

  test("is selected by its policy, and not by those of the service", () => {
    const selecting = resources.filter(({ kind, spec }) => {
      const { selector, podSelector = selector } = spec ?? {};
      const labels = podSelector?.matchLabels ?? podSelector;
      return kind !== "Deployment" && labels && selects(labels, template.metadata.labels);
    });
    expect(selecting.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "NetworkPolicy inventory-relay",
    ]);
  });

  test("meets the restricted standard for pods, with a read-only root", () => {
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });
});

describe("the proxies that the service trusts", () => {
  const proxiesOf = (overlay: string, file?: string) => {
    const resources = parseYaml(kustomize(overlay, file)) as Resource[];
    const settings = resources.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
    return readConfig({ REDIS_URL: "redis://redis", ...settings }).trustedProxies.rules;
  };

  test.each(["production", "cluster"])("must be said in the overlay %s", (overlay) => {
    expect(() => kustomize(overlay, undefined)).toThrow(/production\/trusted-proxies\.env/);
    expect(proxiesOf(overlay, "TRUSTED_PROXIES=\n")).toEqual([]);
    expect(proxiesOf(overlay, "TRUSTED_PROXIES=10.1.2.0/24\n")).toEqual([
      "Subnet: IPv4 10.1.2.0/24",
    ]);
  });

  test.each(["base", "development"])("are none in %s", (overlay) => {
    expect(proxiesOf(overlay)).toEqual([]);
  });
});
