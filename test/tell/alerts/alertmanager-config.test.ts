import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type AlertName, alertRules } from '../../../src/tell/alerts/alert-rules.ts';
import { createInhibition, inhibitRules, type LabelMatcher } from '../../../src/tell/alerts/inhibit-rules.ts';
import { findProgram } from '../../support/engine.ts';

const file = fileURLToPath(new URL('../../../config/alertmanager/alertmanager.yml.example', import.meta.url));
const text = readFileSync(file, 'utf8');

function amtool(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(findProgram('amtool', 'prometheus-alertmanager'), words, {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

/** Checks another text in the place of the file. */
function check(changed: string) {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-amtool-'));
  try {
    const path = join(folder, 'alertmanager.yml');
    writeFileSync(path, changed);
    return amtool('check-config', path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal: readonly string[];
}

const { inhibit_rules: inhibitions } = parse(text) as { readonly inhibit_rules: readonly InhibitRule[] };

type Labels = Readonly<Record<string, string>>;

/** As Alertmanager matches: a pattern is about the whole value, and a label that is missing is empty. */
const matches = (matchers: readonly string[], labels: Labels): boolean =>
  matchers.every((matcher) => {
    const [, label = '', isPattern, value = ''] = /^(\w+)=(~?)"(.*)"$/.exec(matcher) ?? [];
    const own = labels[label] ?? '';
    return isPattern ? new RegExp(`^(?:${value})$`).test(own) : own === value;
  });

/** `SubnetNodeDown node/subnet2` as the labels of an alert of the subnet s. */
function toLabels(alert: string): Labels {
  const [alertname = '', subject = ''] = alert.split(' ');
  const { severity = '' } = alertRules.find(({ name }) => name === alertname) ?? {};
  const [component, name = component] = subject.split('/');
  return { alertname, severity, subnet: 's', ...(component && { component, name }) };
}

type Named = AlertName | `${AlertName} ${string}`;

/** Whether an alert holds back another one. */
function isInhibited(source: Named, target: Named, of: Labels = {}): boolean {
  const [from, to] = [toLabels(source), { ...toLabels(target), ...of }];
  const byAlertmanager = inhibitions.some(
    (rule) =>
      matches(rule.source_matchers, from) &&
      matches(rule.target_matchers, to) &&
      rule.equal.every((label) => from[label] === to[label]),
  );
  const isHeldBack = createInhibition([{ labels: from, seenAt: 0 }])({ labels: to, activeAt: 1 });
  expect(isHeldBack, 'the channels of subnetd agree').toBe(byAlertmanager);
  return byAlertmanager;
}

describe('the configuration of Alertmanager', () => {
  it('is good in the eyes of amtool', () => {
    expect(amtool('check-config', file)).toMatchObject({ status: 0 });
  });

  it('is good with Slack, e-mail and the dead-man service uncommented, and keeps their secrets in files', () => {
    const setting = /^( *)# ( *(?:- )?(?:global|\w+_file|smtp_\w+|\w+_configs|channel|to|send_resolved|title|text):)/gm;
    const uncommented = text.replace(setting, '$1$2');
    expect(uncommented.match(/^ *(?:slack|email|webhook)_configs:/gm)).toHaveLength(8);
    expect(uncommented).not.toMatch(/^\s*(?:- )?\w*(?:password|slack_api_url|api_url|secret|token):/m);
    // Debian's Alertmanager does not know `url_file` of a webhook yet.
    expect(check(uncommented.replace(/- url_file: \S+/, '- url: http://127.0.0.1/'))).toMatchObject({ status: 0 });
  });

  it('is refused when it is broken, so that the check means something', () => {
    expect(check(text.replace('receiver: page', 'receiver: nobody'))).toMatchObject({ status: 1 });
  });

  it.each([
    ['critical', 'page'],
    ['warning', 'ticket'],
    ['info', 'ticket'],
    ['none', 'watchdog'],
  ])('takes what is %s to the receiver %s', (severity, receiver) => {
    const { name } = alertRules.find((rule) => rule.severity === severity) ?? {};
    const labels = [`alertname=${name}`, `severity=${severity}`, 'subnet=s'];
    const { output } = amtool('config', 'routes', 'test', `--config.file=${file}`, ...labels);
    expect(output.split('\n')).toContain(receiver);
  });

  it('inhibits by the same rules as subnetd does for its own channels', () => {
    const format = ({ label, pattern, value }: LabelMatcher) => `${label}=${pattern ? '~' : ''}"${value}"`;
    expect(
      inhibitRules.map(({ source, target, equal }) => ({
        source_matchers: source.map(format),
        target_matchers: target.map(format),
        equal,
      })),
    ).toEqual(inhibitions);
  });

  it('silences only alerts that there are, by alerts that there are', () => {
    const names = alertRules.map(({ name }) => name);
    const matchers = [...text.matchAll(/alertname=(~?)"([^"]*)"/g)];
    expect(matchers.length).toBeGreaterThan(5);
    for (const [, isPattern, matcher = ''] of matchers)
      for (const part of matcher.split('|')) {
        const wanted = isPattern ? new RegExp(`^(?:${part})$`) : { test: (name: string) => name === part };
        expect(
          names.some((name) => wanted.test(name)),
          part,
        ).toBe(true);
      }
  });

  it.each<readonly [Named, Named]>([
    ['SubnetdOffline', 'SubnetHalted'],
    ['SubnetdOffline', 'SubnetdDockerDown'],
    ['SubnetdOffline', 'SubnetNodeDown node/subnet2'],
    ['SubnetdOffline', 'SubnetServiceDown stats'],
    ['SubnetdOffline', 'SubnetRelayerStopped relayer'],
    ['SubnetHalted', 'SubnetQuorumAtRisk'],
    ['SubnetChainForked', 'SubnetQuorumAtRisk'],
    ['SubnetHalted', 'SubnetContainerDown node/subnet2'],
    ['SubnetHalted', 'SubnetStatsStale stats'],
    ['SubnetQuorumAtRisk', 'SubnetNodeDown node/subnet2'],
    ['SubnetQuorumAtRisk', 'SubnetdLogSourceDown node/subnet2'],
    ['SubnetContainerDown bootnode', 'SubnetBootnodeMissesNode bootnode'],
    ['SubnetContainerDown node/subnet2', 'SubnetNodeDown node/subnet2'],
    ['SubnetIpcPathTooLong node/subnet2', 'SubnetContainerRestarting node/subnet2'],
    ['SubnetContainerOutOfMemory frontend', 'SubnetContainerMemoryNearLimit frontend'],
    ['SubnetContainerDown stats', 'SubnetFrontendErrors frontend'],
  ])('holds back for %s: %s', (source, target) => {
    expect(isInhibited(source, target)).toBe(true);
    expect(isInhibited(source, target, { subnet: 'other' })).toBe(false);
  });

  it.each<readonly [Named, Named]>([
    ['SubnetHalted', 'SubnetdOffline'],
    ['SubnetHalted', 'SubnetServiceDown stats'],
    ['SubnetHalted', 'SubnetContainerDown relayer'],
    ['SubnetHalted', 'SubnetNodeHeadFell node/subnet2'],
    ['SubnetHalted', 'SubnetdCheckStale node/subnet2'],
    ['SubnetQuorumAtRisk', 'SubnetHalted'],
    ['SubnetChainForked', 'SubnetHalted'],
    ['SubnetQuorumAtRisk', 'SubnetRelayerStopped relayer'],
    ['SubnetContainerDown relayer', 'SubnetRelayerStopped relayer'],
    ['SubnetContainerDown node/subnet2', 'SubnetNodeDown node/subnet3'],
    ['SubnetContainerDown frontend', 'SubnetServiceDown stats'],
    ['SubnetNodeDown node/subnet2', 'SubnetQuorumAtRisk'],
  ])('does not hold back for %s: %s', (source, target) => {
    expect(isInhibited(source, target)).toBe(false);
  });

  it('holds back for a dead shard that one of its instances is down', () => {
    expect(isInhibited('SubnetdShardUnseen', 'SubnetdDown')).toBe(true);
  });

  it('lets no alert hold back itself, and none that wakes somebody but for a cause of the whole subnet or shard', () => {
    const subjects = ['', ' node/subnet2', ' relayer', ' stats', ' frontend', ' bootnode'] as const;
    const alerts = alertRules.flatMap(({ name, severity }) =>
      subjects.map((subject) => ({ alert: `${name}${subject}` as const, name, severity })),
    );
    for (const { alert } of alerts) expect(isInhibited(alert, alert), alert).toBe(false);
    const pages = alerts.filter(({ severity }) => severity === 'critical');
    const sources = alerts.filter(({ alert }) => pages.some((page) => isInhibited(alert, page.alert)));
    expect([...new Set(sources.map(({ name }) => name))]).toEqual([
      'SubnetHalted',
      'SubnetChainForked',
      'SubnetdOffline',
      'SubnetdShardUnseen',
    ]);
  });
});
