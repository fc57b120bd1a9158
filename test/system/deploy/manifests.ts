/** Makes the resources of deploy/kubernetes and deploy/helm, and validates them. */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled } from "../harness/debian-packages.ts";
import { newDirectory } from "../harness/directory.ts";
import { helm, pythonTool } from "./tools.ts";

export const kubernetesFolder = join(import.meta.dirname, "../../../deploy/kubernetes");
export const chart = join(import.meta.dirname, "../../../deploy/helm/inventory");

/** The oldest and the newest version of Kubernetes for which resources are checked. */
export const versions = ["1.30", "1.37"] as const;

export interface Probe {
  readonly periodSeconds: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
  readonly httpGet?: { readonly path: string; readonly port: string; readonly scheme?: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: object;
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: object;
  readonly securityContext: object;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly [Container, ...Container[]];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
  }[];
  readonly topologySpreadConstraints?: readonly {
    readonly labelSelector: { readonly matchLabels: Selector };
  }[];
}

export interface Template {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}

export type Selector = Readonly<Record<string, string>>;

export interface Resource {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: the schema check has validated it
  readonly spec: any;
}

/** Finds a resource. @throws Error if there is none */
export function find(resources: readonly Resource[], kind: string, name = "inventory"): Resource {
  const found = resources.find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
}

export function podTemplates(resources: readonly Resource[]): Template[] {
  return resources.flatMap(({ kind, spec }): Template[] => {
    if (kind === "CronJob") return [spec.jobTemplate.spec.template];
    return ["Deployment", "StatefulSet"].includes(kind) ? [spec.template] : [];
  });
}

/** Whether a selector selects pods with these labels. */
export function selects(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/**
 * Builds an overlay. GitHub's and most machines have kubectl; otherwise Go builds kustomize.
 *
 * @param proxies the content of the file that an operator must write; undefined for none
 * @param component a folder that is added to the overlay
 */
export function kustomize(
  overlay: string,
  proxies: string | undefined,
  component?: string,
): string {
  const copy = newDirectory();
  cpSync(kubernetesFolder, copy, { recursive: true });
  const path = join(copy, overlay);
  if (proxies !== undefined) writeFileSync(join(copy, "production/trusted-proxies.env"), proxies);
  if (component)
    appendFileSync(join(path, "kustomization.yaml"), `components: [../${component}]\n`);
  const [program, ...args] = isInstalled("kubectl")
    ? ["kubectl", "kustomize", path]
    : ["go", "run", "sigs.k8s.io/kustomize/kustomize/v5@v5.5.0", "build", path];
  return execFileSync(program, args, { encoding: "utf8", stdio: "pipe" });
}

export interface Result {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a command of Helm without a cluster. */
export function runHelm(args: readonly string[], input = ""): Result {
  const env = { ...process.env, KUBECONFIG: "/dev/null" };
  const { status, stdout, stderr } = spawnSync(helm, args, { input, encoding: "utf8", env });
  return { code: status, output: stdout + stderr };
}

/** Validates resources with the JSON schemas of Kubernetes, which refuse unknown fields. */
export function validate(yaml: string, version: string): Result {
  const file = join(newDirectory(), "resources.yaml");
  writeFileSync(file, yaml);
  const { status, stdout, stderr } = spawnSync(
    pythonTool("kubernetes-validate"),
    ["--strict", "--quiet", "--kubernetes-version", version, file],
    { encoding: "utf8" },
  );
  return { code: status, output: stdout + stderr };
}
