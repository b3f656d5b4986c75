import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ProblemKind, problemCatalog, problemsOfAlert } from '../../../src/model/problem-catalog.ts';
import { alertRules } from '../../../src/tell/alerts/alert-rules.ts';
import { checkTable } from '../../../src/watch/rules/checks.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(root + file, 'utf8');

/** The labels of each metric, by its page, which a test of its own keeps true; `up` is Prometheus's. */
const metrics = new Map([
  ...[...read('docs/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \| ([\w, ]*) \|/gm)].map(
    ([, name = '', type, labels = '']) => [type === 'histogram' ? `${name}_count` : name, labels.split(', ')] as const,
  ),
  ['up', []] as const,
]);
/** Prometheus adds these. */
const SCRAPED = ['instance', 'job'];

const rules = alertRules.map((rule) => [rule.name, rule] as const);

describe.each(rules)('%s', (_, { name, expr, labels, severity, summary, description, for: wait }) => {
  it('uses only metrics and labels that subnetd exports', () => {
    const selectors = [...expr.matchAll(/\b((?:subnetd?|process)_\w+|up)\b(?:\{([^}]*)\})?/g)];
    if (expr !== 'vector(1)') expect(selectors.length).toBeGreaterThan(0);
    for (const [, metric = '', matchers = ''] of selectors) {
      expect([...metrics.keys()]).toContain(metric);
      const allowed = [...(metrics.get(metric) ?? []), ...SCRAPED];
      for (const [, label] of matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)) expect(allowed, metric).toContain(label);
    }
  });

  it('has texts that name the subnet, say what to do and use only its own labels', () => {
    expect(summary).toMatch(/^[^\n]{10,120}\.$/);
    expect(description).toMatch(/\. /);
    for (const [, label] of `${summary}${description}`.matchAll(/\$labels\.(\w+)/g)) expect(labels).toContain(label);
    if (name.startsWith('Subnetd')) return;
    expect(summary).toContain('{{ $labels.subnet }}');
    // The same words for every target of a subnet.
    expect(summary).not.toMatch(/\$value|labels\.name/);
  });

  it('waits, but for the one that always fires, and for what subnetd has confirmed', () => {
    expect(wait === '0s').toBe(severity === 'none' || problemsOfAlert(name).length > 0);
    expect(wait).toMatch(/^\d+[sm]$/);
  });

  it('has a page with its meaning, impact, diagnosis and mitigation, and something to type', () => {
    const page = read(`docs/alerts/${name}.md`);
    expect(page.startsWith(`# ${name}\n`)).toBe(true);
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
      'Meaning',
      'Impact',
      'Diagnosis',
      'Mitigation',
    ]);
    expect(page).toMatch(/```sh\n[^`]+```/);
    expect(page.length).toBeGreaterThan(500);
  });
});

describe('the catalogue', () => {
  it('names each alert once, and every page of docs/alerts belongs to one', () => {
    const names = alertRules.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const pages = globSync('docs/alerts/*.md', { cwd: root }).map((file) => basename(file, '.md'));
    expect(pages.toSorted()).toEqual(names.toSorted());
  });

  const problems = Object.entries<ProblemKind>(problemCatalog);

  it.each(problems)('has an alert for the problem %s, as severe as it', (_, { alert, severity }) => {
    const rule = alertRules.find(({ name }) => name === alert);
    expect(rule).toMatchObject({ severity });
    for (const problem of problemsOfAlert(alert)) expect(rule?.expr).toMatch(new RegExp(`[|"]${problem}[|"]`));
  });

  it.each([
    ['SubnetdOffline', /no node has answered since subnetd started, check the addresses/, /became|at once/],
    ['SubnetdSuspended', /clock was set/, /did not watch|nothing is known/],
    ['SubnetNodeClockSkewed', /may miss its rounds/, /rounds, and each/],
    ['SubnetdLogSourceDown', /has no other log/, /its checks by log say nothing/],
  ])('says in %s only what is true of each of its causes', (alert, said, unsaid) => {
    const { summary = '', description = '' } = alertRules.find(({ name }) => name === alert) ?? {};
    expect(`${summary} ${description}`).toMatch(said);
    expect(`${summary} ${description}`).not.toMatch(unsaid);
  });

  it.each(Object.keys(checkTable))('has a problem that the check %s shows', (check) => {
    expect(problems.some(([, { judgedBy }]) => judgedBy.some((one) => one === check))).toBe(true);
  });

  it('pages for what people feel, and calls causes tickets', () => {
    const pages = alertRules.filter(({ severity }) => severity === 'critical').map(({ name }) => name);
    expect(pages).toEqual([
      'SubnetHalted',
      'SubnetFinalityStalled',
      'SubnetQuorumAtRisk',
      'SubnetChainForked',
      'SubnetDiskFull',
      'SubnetRelayerStopped',
      'SubnetContractMissing',
      'SubnetParentUnreachable',
      'SubnetCheckpointBehind',
      'SubnetCheckpointRefused',
      'SubnetContractOfOtherChain',
      'SubnetParentOtherChain',
      'SubnetRelayerWalletNearlyEmpty',
      'SubnetRelayerWalletEmpty',
      'SubnetdDown',
      'SubnetdShardUnseen',
    ]);
  });
});
