import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { isInstalled } from "../support/debian-packages.ts";
import { settingNames } from "./settings.ts";
import { parseYaml, pythonTool } from "./tools.ts";

const folder = join(import.meta.dirname, "../../deploy/kubernetes");

/** Time for the process to exit after it has drained, in seconds. */
const exitSeconds = 5;

interface Probe {
  readonly periodSeconds: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
  readonly httpGet?: { readonly path: string; readonly port: string };
}

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly containers: readonly [Container, ...Container[]];
  readonly topologySpreadConstraints?: readonly object[];
}

interface Template {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}

type Selector = Readonly<Record<string, string>>;

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: the schema check has validated it
  readonly spec: any;
}

interface ScrapeConfig {
  readonly kubernetes_sd_configs: readonly { readonly namespaces: { readonly names: string[] } }[];
  readonly relabel_configs: readonly { readonly regex?: string }[];
}

/** Builds an overlay. GitHub's and most machines have kubectl; otherwise Go builds kustomize. */
function kustomize(overlay: string): string {
  const path = join(folder, overlay);
  const [program, ...args] = isInstalled("kubectl")
    ? ["kubectl", "kustomize", path]
    : ["go", "run", "sigs.k8s.io/kustomize/kustomize/v5@v5.5.0", "build", path];
  return execFileSync(program, args, { encoding: "utf8" });
}

/** Validates resources with the JSON schemas of Kubernetes, which refuse unknown fields. */
function validate(yaml: string, version: string): { code: number | null; output: string } {
  const file = join(mkdtempSync(join(tmpdir(), "inventory-manifests-")), "resources.yaml");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, yaml);
  const { status, stdout, stderr } = spawnSync(
    pythonTool("kubernetes-validate"),
    ["--strict", "--quiet", "--kubernetes-version", version, file],
    { encoding: "utf8" },
  );
  return { code: status, output: stdout + stderr };
}

describe.each(["development", "production"])("the overlay %s", (overlay) => {
  const yaml = kustomize(overlay);
  const resources = parseYaml(yaml) as Resource[];
  const find = (kind: string, name = "inventory") => {
    const found = resources.find((each) => each.kind === kind && each.metadata.name === name);
    if (!found) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const deployment = find("Deployment");
  const template: Template = deployment.spec.template;
  const [container] = template.spec.containers;
  const templates = resources
    .filter(({ kind }) => ["Deployment", "StatefulSet"].includes(kind))
    .map(({ spec }) => spec.template as Template);
  const settings = resources.find(({ kind }) => kind === "ConfigMap")?.data ?? {};

  it.each(["1.30", "1.37"])("is valid in Kubernetes %s", (version) => {
    expect(validate(yaml, version)).toEqual({ code: 0, output: "" });
  });

  it("would not be valid with a misspelled field", () => {
    const { code, output } = validate(
      yaml.replace("readOnlyRootFilesystem", "readOnlyRoot"),
      "1.37",
    );
    expect(code).not.toBe(0);
    expect(output).toContain("'readOnlyRoot' was unexpected");
  });

  it("has a grace period that fits the delay and timeout of the drain", () => {
    const drain = (Number(settings.DRAIN_DELAY_MS) + Number(settings.DRAIN_TIMEOUT_MS)) / 1_000;
    expect(drain).toBeGreaterThan(0);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + exitSeconds);
  });

  it("notices within the drain's delay that a pod is not ready", () => {
    const { periodSeconds, timeoutSeconds = 1, failureThreshold = 3 } = container.readinessProbe;
    const noticed = failureThreshold * (periodSeconds + timeoutSeconds);
    expect(noticed * 1_000).toBeLessThan(Number(settings.DRAIN_DELAY_MS));
  });

  it("sets only settings of the service, to valid values", () => {
    const environment = { ...settings };
    for (const { name, value } of container.env ?? []) environment[name] = value;
    expect(Object.keys(environment).filter((name) => !settingNames.has(name))).toEqual([]);
    const { REDIS_URL_FILE: secret, ...others } = environment;
    expect([others.REDIS_URL, secret].filter(Boolean)).toHaveLength(1);
    expect(() => readConfig({ REDIS_URL: "redis://redis", ...others })).not.toThrow();
  });

  it("meets the restricted standard for pods, with a read-only root", () => {
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

  it("selects the service's pods and no others", () => {
    const selectors: Selector[] = [
      deployment.spec.selector.matchLabels,
      find("Service").spec.selector,
      find("Service", "inventory-pods").spec.selector,
      find("PodDisruptionBudget").spec.selector.matchLabels,
      find("NetworkPolicy").spec.podSelector.matchLabels,
      ...(template.spec.topologySpreadConstraints ?? []).map(
        (each) => (each as { labelSelector: { matchLabels: Selector } }).labelSelector.matchLabels,
      ),
    ];
    expect(selectors).toHaveLength(7);
    const selected = selectors.map((selector) =>
      templates.filter(({ metadata }) =>
        Object.entries(selector).every(([name, value]) => metadata.labels[name] === value),
      ),
    );
    expect(selected).toEqual(selectors.map(() => [template]));
    expect(find("HorizontalPodAutoscaler").spec.scaleTargetRef.name).toBe(deployment.metadata.name);
  });

  it("probes liveness without Redis and the limit of connections, and readiness with both", () => {
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

  it("scales on a metric that the admin port shows to Prometheus", () => {
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

  it("has the namespace, labels and ports by which the example of Prometheus finds its pods", () => {
    const example = readFileSync(join(folder, "../prometheus/kubernetes.yaml"), "utf8");
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

  it("connects to Redis only where the network policy allows it", () => {
    const { egress } = find("NetworkPolicy").spec;
    const ports = (egress as { ports: { port: number }[] }[]).map((rule) =>
      rule.ports.map(({ port }) => port),
    );
    expect(ports).toEqual([[53, 53], [6379]]);
  });
});
