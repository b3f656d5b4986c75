import { spawnSync } from 'node:child_process';

/** A family as the reference parser reads it. */
export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly help: string;
  /** The name and the labels of each sample, and its value. */
  readonly samples: readonly (readonly [name: string, labels: Readonly<Record<string, string>>, value: number])[];
}

const PROGRAM = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = text_string_to_metric_families(sys.stdin.read())
print(json.dumps([
  dict(name=f.name, type=f.type, unit=f.unit, help=f.documentation, samples=[[s.name, s.labels, s.value] for s in f.samples])
  for f in families
]))
`;

/** Reads a page with the parser of Prometheus's Python client, which refuses what OpenMetrics does not allow. */
export function parseOpenMetrics(page: string): readonly ParsedFamily[] {
  const options = { input: page, encoding: 'utf8', maxBuffer: 1 << 28 } as const;
  // Debian's own Python has Debian's packages.
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', PROGRAM], options);
  if (stderr.includes('ModuleNotFoundError'))
    throw new Error('these tests need the parser of OpenMetrics: apt-get install python3-prometheus-client');
  if (status !== 0) throw new Error(`the parser refuses the page: ${stderr.trim().split('\n').at(-1)}`);
  return JSON.parse(stdout);
}
