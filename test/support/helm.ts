import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { findProgram } from './engine.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The chart of the clone. */
export const chart = `${root}deploy/helm/subnetd`;

/** Runs helm, which `scripts/parts` brings where the machine has none. */
export function helm(...words: readonly string[]): string {
  const own = `${root}.cache/parts/helm`;
  const program = existsSync(own) ? own : findProgram('helm', 'nothing of Debian; run scripts/parts');
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The manifests of the chart with these values, which are JSON, as helm makes them for a release. */
// biome-ignore lint/suspicious/noExplicitAny: any object of Kubernetes
export function renderChart(values: object = {}, release = 'subnetd'): readonly any[] {
  const words = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
  return parseAllDocuments(helm('template', release, chart, '--kube-version', '1.33.0', ...words)).map((document) =>
    document.toJS(),
  );
}
