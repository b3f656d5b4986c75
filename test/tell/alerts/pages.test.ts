import { beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/model/problem.ts';
import { problemCatalog } from '../../../src/model/problem-catalog.ts';
import { alertRules } from '../../../src/tell/alerts/alert-rules.ts';
import { alertList, alertPage } from '../../../src/web/pages/alert-pages.ts';
import { words } from '../../support/page-words.ts';
import { runCommand } from '../../support/run-command.ts';

const MOMENT = { toWall: (at: number) => at, nowWall: 0 };

describe('the page of an alert', () => {
  it.each(alertRules.map(({ name }) => name))('%s is HTML whose links lead to alerts that there are', async (name) => {
    const { found, body } = await alertPage(name, MOMENT);
    const page = String(await body);
    expect(found).toBe(true);
    expect(page).toContain(`<h1>${name}</h1>`);
    expect(page).toContain('<h2>Diagnosis</h2>');
    for (const [, href = ''] of page.matchAll(/<a href="([^"/]+)"/g))
      expect(alertRules.map((rule) => rule.name)).toContain(href);
  });

  it('is found with any case of its name', async () => {
    expect((await alertPage('subnethalted', MOMENT)).found).toBe(true);
  });

  it('that there is not lists those that there are, and shows nothing of what was asked', async () => {
    const { found, body } = await alertPage('<script>alert(1)</script>SubnetHalte', MOMENT);
    expect(found).toBe(false);
    expect(String(await body)).not.toContain('alert(1)');
    const near = String(await (await alertPage('SubnetHalte', MOMENT)).body);
    expect(near).toContain('Did you mean <a href="/alerts/SubnetHalted">');
    for (const { name } of alertRules) expect(near).toContain(`href="/alerts/${name}"`);
  });

  it('is on the list of all', async () => {
    const list = String(await alertList(0));
    for (const { name } of alertRules) expect(list).toContain(`href="/alerts/${name}"`);
    expect(words(list)).toContain('SubnetNodeBehind warning A node is behind.');
    expect(words(list)).not.toMatch(/…|\{\{|Reported now/);
  });

  it('is found by words of its name and of its sentence', async () => {
    const named = (search: string) =>
      [...String(alertList(0, [], search)).matchAll(/href="\/alerts\/(\w+)"/g)].map(([, name]) => name);
    expect(named('FUNDS critical')).toEqual(['SubnetRelayerWalletEmpty']);
    expect(named('masternode')).toContain('SubnetMasternodePenalised');
    expect(words(String(alertList(0, [], 'zebra')))).toContain('No runbook contains these words. Show all .');
  });

  it('comes first when it is reported now, and leads to its runbook with names filled in', async () => {
    const problem: Problem = {
      ...{ problem: 'node_behind', alert: 'SubnetNodeBehind', severity: 'warning', state: 'open', since: 0, seenAt: 0 },
      ...{ component: 'node', name: 'n1', summary: 'n1 is behind', evidence: '', fix: '', explains: [], causes: [] },
    };
    const list = String(alertList(0, [{ subnet: 'live', problem }]));
    expect(list).toContain('href="/alerts/SubnetNodeBehind?subnet=live&amp;name=n1"');
    expect(words(list)).toMatch(/Reported now SubnetNodeBehind warning N1 is behind \(live\)\. The whole subnet/i);
  });

  it('lets each alternative be copied by itself', async () => {
    const page = String(await (await alertPage('SubnetContainerDown', MOMENT)).body);
    const copied = [...page.matchAll(/data-copy="([^"]*)"/g)].map(([, text]) => text);
    expect(copied).toContain('docker start generated-bootnode-1');
    expect(copied).toContain('# paused: resume it\ndocker unpause generated-bootnode-1');
  });
});

describe('subnetd explain', () => {
  let listed = '';
  beforeAll(async () => {
    listed = (await runCommand(['explain'])).stdout;
  });

  it('lists every alert, a line each', () => {
    const lines = listed.trimEnd().split('\n');
    expect(lines).toHaveLength(alertRules.length);
    for (const [i, { name }] of alertRules.entries()) expect(lines[i]?.startsWith(`${name} `)).toBe(true);
  });

  it('prints the page of one alert, with any case of its name', async () => {
    const { code, stdout } = await runCommand(['explain', 'SUBNETNODEDOWN']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# SubnetNodeDown\n.*## Meaning.*## Mitigation/s);
  });

  it('prints JSON for programs', async () => {
    const all = JSON.parse((await runCommand(['explain', '--json'])).stdout);
    expect(all.map(({ name }: { readonly name: string }) => name)).toEqual(alertRules.map(({ name }) => name));
    const { code, stdout } = await runCommand(['explain', 'SubnetNodeDown', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ...all.find(({ name }: { readonly name: string }) => name === 'SubnetNodeDown'),
      runbook: (await runCommand(['explain', 'SubnetNodeDown'])).stdout,
    });
    expect(JSON.parse(stdout)).toMatchObject({
      severity: 'warning',
      for: '0s',
      labels: ['subnet', 'component', 'name'],
    });
  });

  it('says of a problem what it is, and prints the page of its alert', async () => {
    const { stdout: runbook } = await runCommand(['explain', 'SubnetNodeDown']);
    expect(await runCommand(['explain', 'Node_Down'])).toEqual({
      code: 0,
      stderr: '',
      stdout: `node_down (warning): open after 20s, over after 2m, shown by latest_block; reported by the alert SubnetNodeDown:\n\n${runbook}`,
    });
    expect(JSON.parse((await runCommand(['explain', 'node_down', '--json'])).stdout)).toEqual({
      problem: 'node_down',
      severity: 'warning',
      alert: 'SubnetNodeDown',
      openAfter: '20s',
      overAfter: '2m',
      shownBy: ['latest_block'],
      runbook,
    });
    const { stderr } = await runCommand(['explain', 'node_dwn']);
    expect(stderr).toBe(
      'subnetd explain: there is no alert or problem "node_dwn"; did you mean node_down, node_lags, node_slow?\n',
    );
  });

  it.each(Object.keys(problemCatalog))('explains %s', async (problem) => {
    const { code, stdout } = await runCommand(['explain', problem]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^${problem} \\(.*: open (?:at once|after .+), over .+ the alert \\w+:\n\n# \\w+\n`),
    );
  });

  it('says what may have been meant, and exits 2', async () => {
    const { code, stdout, stderr } = await runCommand(['explain', 'SubnetNodDown']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('did you mean SubnetNodeDown');
    const { stderr: far } = await runCommand(['explain', 'zzzzzzzzzzzzzzzz']);
    expect(far).toContain('"subnetd explain" lists the alerts');
    const { stderr: blank } = await runCommand(['explain', ' ']);
    expect(blank).toBe('subnetd explain: the name is missing; "subnetd explain" lists the alerts\n');
  });
});
