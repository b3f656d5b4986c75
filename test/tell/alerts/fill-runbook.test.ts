import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/model/problem.ts';
import type { NodeTarget, ServiceTarget, Target } from '../../../src/model/target.ts';
import { alertRules } from '../../../src/tell/alerts/alert-rules.ts';
import { fillRunbook, readRunbook, toTargetFacts } from '../../../src/tell/alerts/runbooks.ts';
import { alertPage } from '../../../src/web/pages/alert-pages.ts';
import { words } from '../../support/page-words.ts';

const MOMENT = { toWall: (at: number) => at, nowWall: 0 };

const node: NodeTarget = {
  subnet: 'mainline',
  component: 'node',
  name: 'tokyo',
  rpc: 'https://user:s3cret@10.0.0.7:9545/key/s3cret?token=s3cret',
  ipc: '/data/tokyo/XDC.ipc',
  container: { project: 'live', service: 'tokyo' },
  logFiles: [{ path: '/data/tokyo/xdc.log', timezone: 'UTC' }],
  patterns: [],
  consoleExec: false,
  expectedPeers: 3,
};
const stats: ServiceTarget = {
  subnet: 'mainline',
  component: 'stats',
  name: 'stats',
  url: 'http://10.0.0.9:6213/',
  container: { name: 'explorer' },
  logFiles: [],
  patterns: [],
};
const markdownOf = (name: string) => {
  const rule = alertRules.find((one) => one.name === name);
  if (rule === undefined) throw new Error(`there is no alert ${name}`);
  return readRunbook(rule);
};
const fill = async (name: string, target: Target) => fillRunbook(await markdownOf(name), { target });
const show = async (name: string, target: Target) =>
  String(
    await (await alertPage(name, MOMENT, { subnet: target.subnet, name: target.name, target, problems: [] })).body,
  );

describe('a runbook that is given a target', () => {
  it('says in whole sentences what is open on it now', async () => {
    const problem: Problem = {
      ...{
        problem: 'node_down',
        summary: 'n is down',
        evidence: 'it answers no call',
        fix: '',
        explains: [],
        causes: [],
      },
      ...{
        severity: 'warning',
        alert: 'SubnetNodeDown',
        state: 'open',
        since: 0,
        seenAt: 0,
        component: 'node',
        name: 'n',
      },
    };
    const subject = { subnet: 'live', name: 'n', target: undefined, problems: [problem] };
    const { body } = await alertPage('SubnetNodeDown', { toWall: () => 0, nowWall: 46_000 }, subject);
    expect(words(String(await body))).toContain(
      'SubnetNodeDown: open on live now Since 00:00 , for 46 s. It answers no call.',
    );
  });

  it('names its container, service, project and address in the commands', async () => {
    const text = await fill('SubnetNodeDown', node);
    expect(text).toContain('docker logs --tail 100 live-tokyo-1\n');
    expect(text).toContain('docker start live-tokyo-1\n');
    expect(text).toContain('--filter label=com.docker.compose.project=live\n');
    expect(text).toContain('--profile machine1 up -d tokyo\n');
    expect(text).toContain('https://10.0.0.7:9545\n');
    expect(text).not.toMatch(/generated-subnet2|127\.0\.0\.1:8546|s3cret/);
    // Where subnetd itself answers is no matter of the target.
    expect(text).toContain('http://127.0.0.1:10545/status.json');
  });

  it('names the address of subnetd, for any target and for none', async () => {
    const markdown = await markdownOf('SubnetNodeDown');
    for (const target of [node, undefined]) {
      const text = fillRunbook(markdown, { ownUrl: 'https://watch.example:8443', target });
      expect(text).toContain('curl -s https://watch.example:8443/status.json');
      expect(text).not.toContain('127.0.0.1:10545');
    }
    expect(fillRunbook(markdown, { ownUrl: 'http://127.0.0.1:1/;reboot' })).toContain(
      "'http://127.0.0.1:1/;reboot'/status",
    );
  });

  it('names its paths', async () => {
    expect(await fill('SubnetNodeMasternodeUpdateFailed', node)).toContain('/data/tokyo/XDC.ipc');
    expect(await fill('SubnetIpcPathTooLong', node)).toContain('readlink -f /data/tokyo | tr');
    expect(await fill('SubnetNodeDatabaseLost', node)).toContain('/data/tokyo/XDC/chaindata');
  });

  it('names a container of any kind where the example is of another, and leaves other targets as they are', async () => {
    expect(await fill('SubnetContainerDown', node)).toContain('docker logs --tail 100 live-tokyo-1\n');
    const text = await fill('SubnetServiceDown', stats);
    expect(text).toContain('docker restart explorer\n');
    expect(text).toContain('http://10.0.0.9:6213/information/network');
    expect(text).toContain('http://127.0.0.1:5214/');
    expect(await fill('SubnetNodePeersMissing', node)).toContain('live-bootnode-1');
  });

  it('keeps the examples of what the inventory does not say', async () => {
    const { rpc: _, ipc: __, container: ___, ...bare } = node;
    expect(await fill('SubnetNodeDown', { ...bare, logFiles: [] })).toBe(await markdownOf('SubnetNodeDown'));
  });

  it('changes nothing but code', async () => {
    const [before, after] = [await markdownOf('SubnetNodeDown'), await fill('SubnetNodeDown', node)].map((text) =>
      text.replace(/^```[\s\S]*?^```|`[^`\n]+`/gm, ''),
    );
    expect(after).toBe(before);
  });

  it.each([
    ['markup', '</code><img src=x onerror=alert(1)>'],
    ['an end of a command', 'x; rm -rf /'],
    ['a quote', "it's"],
    ['an example of another', 'generated-subnet2-1'],
    ['a pattern of a replacement', '$&$`'],
  ])('takes a name with %s for text, in the shell and in the page', async (_, name) => {
    const target: Target = { ...node, container: { name } };
    const text = await fill('SubnetNodeDown', target);
    const shell = /^[\w-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
    if (!name.includes('`')) expect(text).toContain(`docker start ${shell}\n`);
    const page = await show('SubnetNodeDown', target);
    expect(page).not.toMatch(/<img|<script>/);
    expect(page.match(/<h2/g)).toHaveLength(4);
  });

  it('does not fill in what would end a line or a piece of code', async () => {
    for (const name of ['a\n```\n<b>', 'a`b', 'a\u0007b', '\uE0000\uE001']) {
      const text = await fill('SubnetNodeDown', { ...node, container: { name } });
      expect(text).toContain('docker start generated-subnet2-1\n');
      expect(await show('SubnetNodeDown', { ...node, container: { name } })).not.toContain('<b>\n');
    }
  });

  it('begins with what the inventory says, and with no secret of it', async () => {
    const page = await show('SubnetNodeDown', node);
    expect(page).toContain('This alert is about the node <b>tokyo</b> of the subnet <b>mainline</b>.');
    for (const value of ['live-tokyo-1', 'https://10.0.0.7:9545', '/data/tokyo/XDC.ipc', '/data/tokyo/xdc.log'])
      expect(page).toContain(`<code>${value}</code>`);
    expect(page).not.toContain('s3cret');
    expect(toTargetFacts({ ...stats, url: 'unix:/x' })).toEqual({ container: 'explorer', logFiles: [] });
  });

  it('is the page as it is when no target is named', async () => {
    const plain = String(await (await alertPage('SubnetNodeDown', MOMENT)).body);
    expect(plain).not.toContain('This alert is about');
    expect(plain).toContain('generated-subnet2-1');
  });
});
