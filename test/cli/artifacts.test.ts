import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { toDashboards } from '../../scripts/dashboards.ts';
import { runCli } from '../support/cli.ts';
import { dashboards } from '../support/dashboards.ts';
import { checkWithPromtool } from '../support/promtool.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { pathOf } = useCleanups();
const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}
interface Group {
  readonly name: string;
  readonly rules: readonly Rule[];
}
const ruleOf = (groups: readonly Group[], name: string) =>
  groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === name);

const ALL = ['--public-url', 'https://s.example/', '--grafana-url', 'https://g.example/x', '--job', 'watch/subnetd-1'];

describe('subnetd rules', () => {
  it('prints every rule of the committed files, with the links and the job that are given', async () => {
    const { code, stdout, stderr } = await runCli(['rules', ...ALL]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    writeFileSync(pathOf('subnetd.yml'), stdout);
    expect(await checkWithPromtool('rules', [pathOf('subnetd.yml')])).toMatchObject({ status: 0 });
    const { groups } = parse(stdout) as { readonly groups: readonly Group[] };
    const committed = groups.map(({ name }) => {
      const text = read(`config/prometheus/rules/${name.replace(/^subnetd-/, '')}.yml`)
        .replaceAll('http://127.0.0.1:10545/', 'https://s.example/')
        .replaceAll('http://127.0.0.1:3000/', 'https://g.example/x/')
        .replaceAll('job="subnetd"', 'job="watch/subnetd-1"')
        .replaceAll('the job subnetd.', 'the job watch/subnetd-1.');
      return parse(text).groups[0];
    });
    expect(groups).toEqual(committed);
    expect(groups.length).toBeGreaterThan(4);
    expect(stdout).not.toMatch(/127\.0\.0\.1|job="subnetd"/);
  });

  it('leaves out links for which no address is given, and takes addresses from the environment', async () => {
    const bare = parse((await runCommand(['rules'])).stdout).groups;
    expect(Object.keys(ruleOf(bare, 'SubnetHalted')?.annotations ?? {})).toEqual(['summary', 'description']);
    const { stdout } = await runCommand(['rules'], { SUBNETD_GRAFANA_URL: 'https://g.example' });
    expect(ruleOf(parse(stdout).groups, 'SubnetHalted')?.annotations).toMatchObject({
      dashboard_url: 'https://g.example/d/subnetd-fleet?var-subnet={{ $labels.subnet | urlquery }}',
    });
    expect(stdout).not.toContain('runbook_url');
  });

  it('wraps the same groups for the Prometheus operator', async () => {
    const plain = parse((await runCommand(['rules', ...ALL])).stdout);
    const { code, stdout } = await runCommand(['rules', ...ALL, '--format', 'prometheusrule']);
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: 'subnetd', labels: { 'app.kubernetes.io/name': 'subnetd' } },
      spec: plain,
    });
  });

  it.each([
    ['an address with user info', ['--public-url', 'https://u:p@s.example'], '--public-url must be an address such as'],
    ['an address of another scheme', ['--grafana-url', 'ftp://g.example'], '--grafana-url must be an address such as'],
    ['a job that would break a query', ['--job', 'a"} or vector(1'], '--job must be a name of letters, digits'],
    [
      'a format that there is not',
      ['--format', 'toml'],
      "argument 'toml' is invalid. Allowed choices are prometheus, ",
    ],
  ])('refuses %s', async (_, words, sentence) => {
    const { code, stdout, stderr } = await runCommand(['rules', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });
});

describe('subnetd dashboards', () => {
  it('prints each dashboard as its code makes it for that address', async () => {
    const made = toDashboards({ subnetd: 'https://s.example' });
    for (const [file, board] of dashboards) {
      const name = /(\w+)\.json$/.exec(file)?.[1] ?? '';
      const { code, stdout } = await runCommand(['dashboards', name, '--public-url', 'https://s.example/']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: made[file] });
      expect(JSON.parse(stdout).uid).toBe(board.uid);
    }
  });

  it('prints all of them as one JSON array, without a link to an address that nobody gave', async () => {
    const { code, stdout } = await runCommand(['dashboards']);
    expect(code).toBe(0);
    const boards = JSON.parse(stdout) as readonly { readonly uid: string; readonly links: readonly object[] }[];
    expect(boards.map(({ uid }) => uid).toSorted()).toEqual(dashboards.map(([, { uid }]) => uid).toSorted());
    for (const { links } of boards) expect(links).toMatchObject([{ type: 'dashboards' }]);
    expect(stdout).not.toContain('127.0.0.1');
    expect(stdout).not.toContain('/alerts/');
    expect(stdout).toContain('/d/subnetd-node');
    const { stdout: one } = await runCommand(['dashboards', 'fleet']);
    expect(JSON.parse(one)).toEqual(boards.find(({ uid }) => uid === 'subnetd-fleet'));
  });

  it('writes them to a folder, one file each, ready for a provider of Grafana', async () => {
    mkdirSync(pathOf('boards'));
    const words = ['dashboards', ...ALL, '--directory', pathOf('boards')];
    expect(await runCommand(words)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(pathOf('boards/fleet.json')),
    });
    const made = toDashboards({ subnetd: 'https://s.example' });
    for (const [file] of dashboards)
      expect(readFileSync(pathOf(file.replace('grafana/dashboards', 'boards')), 'utf8')).toBe(made[file]);
  });

  it.each([
    [
      'a dashboard that there is not',
      ['../package'],
      'unknown dashboard "../package"; use one of fleet, node, services, self',
    ],
    ['an address that is none', ['--public-url', 'here'], '--public-url must be an address such as'],
    [
      'a folder that does not exist',
      ['--directory', '/nowhere/boards'],
      '/nowhere/boards cannot be written (ENOENT); it does not exist; create it first, or correct --directory',
    ],
    ['a file', ['--directory', '/dev/null'], '/dev/null cannot be written (ENOTDIR); it is not a folder; name one'],
  ])('refuses %s', async (_, words, sentence) => {
    const { code, stdout, stderr } = await runCommand(['dashboards', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });
});
