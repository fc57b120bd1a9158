{{/* The name of the resources. The longest suffix is "-backup", and the name of a CronJob has at most 52 characters. */}}
{{- define "inventory.name" -}}
{{- $name := .Values.fullnameOverride -}}
{{- if not $name -}}
{{- $name = contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]{0,43}[a-z0-9])?$" $name) -}}
{{- fail (printf "resources cannot have the name %q: set fullnameOverride to at most 45 of a-z, 0-9 and -, beginning with a letter" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- define "inventory.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ toJson .Release.Name }}
{{- end -}}

{{- define "inventory.labels" -}}
{{ include "inventory.selector" . }}
app.kubernetes.io/version: {{ toJson .Chart.AppVersion }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "inventory.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "inventory.name" .) "default") -}}
{{- end -}}

{{/* The data of the ConfigMap. JSON, because Go prints large numbers with an exponent. */}}
{{- define "inventory.settings" -}}
{{- if not (hasKey .Values.config "TRUSTED_PROXIES") -}}
{{- fail "set config.TRUSTED_PROXIES to the addresses of your proxies, such as 10.1.2.0/24, or to \"\" if clients connect without a proxy" -}}
{{- end -}}
ADMIN_ADDR: 0.0.0.0:9464
{{- with .Values.redis }}
{{- if ne .mode "single" }}
REDIS_MODE: {{ .mode }}
{{- end }}
{{- if eq .mode "sentinel" }}
REDIS_SENTINEL_NAME: {{ required "redis.mode sentinel needs redis.sentinelName" .sentinelName | toJson }}
{{- end }}
{{- with .username }}
REDIS_USERNAME: {{ toJson . }}
{{- end }}
{{- with .tls.serverName }}
REDIS_TLS_SERVERNAME: {{ toJson . }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.config }}
{{ $name }}: {{ kindIs "string" $value | ternary $value (toJson $value) | toJson }}
{{- end }}
{{- end -}}

{{/* What the pods of the service and of backups have in common. */}}
{{- define "inventory.pod" -}}
serviceAccountName: {{ include "inventory.serviceAccount" . | toJson }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- range $name := list "imagePullSecrets" "nodeSelector" "tolerations" "priorityClassName" }}
{{- with index $.Values $name }}
{{ $name }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "inventory.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | toJson }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  privileged: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "inventory.environment" -}}
envFrom:
  - configMapRef: { name: {{ include "inventory.name" . | toJson }} }
env:
{{- with .Values.redis }}
{{- if .url }}
  - { name: REDIS_URL, value: {{ toJson .url }} }
{{- else }}
  - { name: REDIS_URL_FILE, value: {{ toJson (printf "/run/secrets/redis/%s" .urlKey) }} }
{{- end }}
{{- with .passwordKey }}
  - { name: REDIS_PASSWORD_FILE, value: {{ toJson (printf "/run/secrets/redis/%s" .) }} }
{{- end }}
{{- if .tls.existingSecret }}
{{- range $name, $key := dict "CA" .tls.caKey "CERT" .tls.certKey "KEY" .tls.keyKey }}
{{- with $key }}
  - { name: REDIS_TLS_{{ $name }}, value: {{ toJson (printf "/run/secrets/redis-tls/%s" .) }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The secrets, as files that the pod's group may read: fsGroup. */}}
{{- define "inventory.secrets" -}}
{{- $secrets := dict "redis-tls" .Values.redis.tls.existingSecret -}}
{{- if or (not .Values.redis.url) .Values.redis.passwordKey -}}
{{- $_ := set $secrets "redis" (required "set redis.existingSecret, or redis.url without a passwordKey" .Values.redis.existingSecret) -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end -}}

{{- define "inventory.secretVolumes" -}}
{{- range $name, $secret := . }}
{{- if $secret }}
- name: {{ $name }}
  secret:
    secretName: {{ toJson $secret }}
    defaultMode: 0440
{{- end }}
{{- end }}
{{- end -}}

{{- define "inventory.secretMounts" -}}
{{- range $name, $secret := . }}
{{- if $secret }}
- { name: {{ $name }}, mountPath: /run/secrets/{{ $name }}, readOnly: true }
{{- end }}
{{- end }}
{{- end -}}

{{/* Rules for all pods: names, and Redis. */}}
{{- define "inventory.egress" -}}
- to:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: kube-system
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
- to: {{ toJson .Values.networkPolicy.redis.to }}
  ports:
    {{- range .Values.networkPolicy.redis.ports }}
    - port: {{ . }}
    {{- end }}
{{- with .Values.networkPolicy.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}
