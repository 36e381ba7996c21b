{{- define "hundi.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "hundi.labels" -}}
app.kubernetes.io/name: hundi
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "hundi.selector" -}}
app.kubernetes.io/name: hundi
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "hundi.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* The file of settings, as TOML. */}}
{{- define "hundi.settings" -}}
{{- $base := required "settings.base_url: the address by which merchants reach the gateway" .Values.settings.base_url }}
{{- $own := dict "base_url" $base "payment_page_url" (.Values.settings.payment_page_url | default $base) "metrics_port" (int .Values.metrics.port) "metrics_from" (concat (list "127.0.0.0/8" "::1/128") .Values.metrics.from) }}
{{- range $name, $value := merge $own .Values.settings }}
{{ $name }} = {{ if kindIs "float64" $value }}{{ int64 $value }}{{ else }}{{ toJson $value }}{{ end }}
{{- end }}
{{- end }}

{{- define "hundi.pod_security" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* What every container has. part: hundi's command; secret: the volume with its credentials. */}}
{{- define "hundi.container" -}}
- name: {{ .part }}
  image: {{ include "hundi.image" .root | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args: [{{ .part }}]
  env:
    - {name: HUNDI_CONFIG, value: /etc/hundi/hundi.toml}
    - {name: CREDENTIALS_DIRECTORY, value: /run/credentials}
  securityContext:
    {{- if eq .part "metrics" }}
    # A user of its own: it sees the processes of the container beside it, and not what they read.
    runAsUser: 10003
    {{- end }}
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities: {drop: [ALL]}
  resources:
    {{- toYaml .resources | nindent 4 }}
  volumeMounts:
    - {name: settings, mountPath: /etc/hundi, readOnly: true}
    - {name: {{ .part }}-credentials, mountPath: /run/credentials, readOnly: true}
    - {name: data, mountPath: /var/lib/hundi}
    - {name: tmp, mountPath: /tmp}
    - {name: counters, mountPath: /run/hundi/metrics}
{{- end }}

{{- define "hundi.volumes" -}}
- name: settings
  configMap: {name: {{ .settings }}}
{{- range .parts }}
- name: {{ . }}-credentials
  secret:
    secretName: {{ required (printf "secrets.%s: the name of a secret with credentials" .) (index $.root.Values.secrets .) }}
    defaultMode: 0440
{{- end }}
- name: data
  emptyDir: {medium: Memory, sizeLimit: 16Mi}
- name: tmp
  emptyDir: {medium: Memory, sizeLimit: 64Mi}
- name: counters
  emptyDir: {medium: Memory, sizeLimit: 64Mi}
{{- end }}
