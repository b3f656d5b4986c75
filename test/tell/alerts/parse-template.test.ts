import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../../src/tell/alerts/parse-template.ts';
import { findProgram } from '../../support/engine.ts';

const FORMS = ['', ' | humanize', ' | humanize1024', ' | humanizeDuration', ' | humanizePercentage'];
/** What stands otherwise in the query of a URL. */
const ODD = "é/?&=+%#!'()*~";
/** All at once, none, and one by one. */
const NAMES = [`n ${ODD}`, 'subnet-1_a.b~', 'two words', ...[...ODD].map((character) => `n${character}`)];
const VALUES = [
  0, 0.0025, 0.25, 0.9375, 1, 3, 59.5, 61, 120, 754.26, 3600, 3661, 90061, 1023, 2048, 1500000, 3221225472,
];

describe('a text of an alert', () => {
  it('reads as Prometheus renders it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
    const template = FORMS.map((form) => `{{ $value${form} }}`).join(' ; ');
    const rule = (value: number, i: number) => ({
      alert: `A${i}`,
      expr: `label_replace(vector(${value}), "name", "${NAMES[i]}", "", "")`,
      annotations: { text: `{{ $labels.name }}, {{ $labels.name | urlquery }}: ${template}` },
    });
    const render = parseTemplate(`{{ $labels.name }}, {{ $labels.name | urlquery }}: ${template}`);
    const text = (value: number, i: number) => render({ name: NAMES[i] ?? '' }, value);
    const expected = (value: number, i: number) => ({
      eval_time: '1m',
      alertname: `A${i}`,
      exp_alerts: [{ exp_labels: { name: NAMES[i] }, exp_annotations: { text: text(value, i) } }],
    });
    writeFileSync(join(folder, 'rules.json'), JSON.stringify({ groups: [{ name: 'g', rules: VALUES.map(rule) }] }));
    const tests = [{ interval: '1m', input_series: [], alert_rule_test: VALUES.map(expected) }];
    writeFileSync(join(folder, 'test.json'), JSON.stringify({ rule_files: ['rules.json'], tests }));
    try {
      const promtool = findProgram('promtool', 'prometheus');
      expect(execFileSync(promtool, ['test', 'rules', join(folder, 'test.json')], { encoding: 'utf8' })).toContain(
        'SUCCESS',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is refused when it uses what a push does not have', () => {
    expect(() => parseTemplate('{{ query "up" }}')).toThrow('cannot render');
    expect(() => parseTemplate('{{ $value | title }}')).toThrow('cannot render');
  });
});
