{{- define "subnetd.name" -}}
{{- ternary .Release.Name (printf "%s-subnetd" .Release.Name) (contains "subnetd" .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "subnetd.selector" -}}
app.kubernetes.io/name: subnetd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "subnetd.labels" -}}
{{ include "subnetd.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "subnetd.isFleet" -}}
{{- if gt (int .Values.shards) 1 }}yes{{ end }}
{{- end }}

{{/* A request to the own port, which is TLS with a web config that says so. */}}
{{- define "subnetd.probe" -}}
{{- with .root.Values.webConfig }}
{{- if and .existingSecret .clientCertificates -}}
exec: { command: [subnetd, health] }
{{- else -}}
httpGet: { path: {{ $.path }}, port: http{{ if and .existingSecret .tls }}, scheme: HTTPS{{ end }} }
{{- end }}
{{- end }}
timeoutSeconds: 5
{{- end }}
