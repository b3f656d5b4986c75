import { writeFileSync } from 'node:fs';
import { hash } from 'bcrypt';
import { describe, expect, test } from 'vitest';
import { badgeSvg, publicPage } from '../../../src/web/pages/public-page.ts';
import { runCli, startDaemon } from '../../support/cli.ts';
import { diagnosedNode, diagnosedService, STOPPED } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();
const NOW = Date.UTC(2026, 10, 22, 3, 4, 9);
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const HISTORY = { hours: [{ ok: 3_000_000, fail: 600_000, unseen: 0, planned: 0 }], days: [undefined] };

const words = (html: string): string =>
  html
    .replace(/<(svg|head)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

describe('the page for everybody', () => {
  const down = { fault: { kind: 'refused', address: 'http://192.0.2.1:852' }, container: STOPPED } as const;
  const state = stateOf([
    ...NAMES.map((name) =>
      diagnosedNode(name, NAMES, name === 'n2' ? down : { peers: NAMES.filter((one) => one !== name && one !== 'n2') }),
    ),
    // It has printed no line, so its submissions fail.
    diagnosedService('relayer'),
  ]);

  test('names subnets and targets with their states and uptimes, and nothing else', () => {
    const page = String(publicPage([state], () => HISTORY, NOW));
    expect(words(page)).toBe(
      'Skip to the content subnetd Made 0 s ago Refresh devnet is degraded devnet degraded Part State 24 hours 30 days ' +
        'n1 degraded 83.3 % no data n2 down 83.3 % no data n3 degraded 83.3 % no data n4 degraded 83.3 % no data ' +
        'relayer down 83.3 % no data up partly up down no data Sign in for details Times are UTC',
    );
    for (const secret of ['192.0.2.1', 'docker', 'generated', '0xn', 'peers', 'container', 'runbook', '/alerts'])
      expect(page.toLowerCase()).not.toContain(secret);
  });

  test('says how many subnets are not operational', () => {
    const well = (name: string) => stateOf([diagnosedNode('n1', ['n1'])], name);
    const heading = (snapshot: Parameters<typeof publicPage>[0]) =>
      /<h1>(.*?)<\/h1>/.exec(String(publicPage(snapshot, () => HISTORY, NOW)))?.[1];
    expect(heading([well('a'), well('b')])).toBe('All subnets are operational');
    expect(heading([well('a'), state, well('b')])).toBe('1 of 3 subnets are not operational');
  });
});

test('a badge is SVG with the name as text and the state in a word', () => {
  const svg = badgeSvg('<dev&net>', 'bad');
  expect(svg).toContain('<title>&lt;dev&amp;net&gt;: down</title>');
  expect(svg).not.toContain('<dev');
  expect(['ok', 'warn', 'off'].map((one) => /title>.*: (\w+)</.exec(badgeSvg('a', one as 'ok'))?.[1])).toEqual([
    'operational',
    'degraded',
    'unknown',
  ]);
});

test('a public daemon shows everybody that page and badges, and its users everything', async () => {
  writeFileSync(pathOf('subnetd.yaml'), 'subnets: [{ name: s, nodes: [{ name: n, rpc: http://127.0.0.1:1 }] }]\n');
  writeFileSync(pathOf('web.yml'), `basic_auth_users: { me: '${await hash('pass word', 4)}' }\n`);
  const environment = { SUBNETD_PUBLIC: 'true', SUBNETD_WEB_CONFIG: pathOf('web.yml') };
  const daemon = await startDaemon(pathOf('subnetd.yaml'), environment);
  cleanups.push(async () => {
    daemon.child.kill('SIGTERM');
    await daemon.finished;
  });
  const authorization = `Basic ${btoa('me:pass word')}`;
  const ask = async (path: string, headers = {}) => {
    const answer = await fetch(`${daemon.url}${path}`, { headers });
    return [answer.status, await answer.text()] as const;
  };
  const [status, page] = await ask('/');
  expect(status).toBe(200);
  expect(page).toContain('Sign in for details');
  expect(page).not.toContain('127.0.0.1:1');
  expect((await ask('/', { authorization }))[1]).toContain('Targets of s');
  expect((await ask('/', { authorization: `Basic ${btoa('me:wrong')}` }))[0]).toBe(401);
  expect((await ask('/?full'))[0]).toBe(401);
  expect((await ask('/badge/s.svg'))[1]).toContain('<title>s: ');
  expect((await ask('/badge/x.svg'))[0]).toBe(404);
  expect(await ask('/feed.atom')).toEqual([200, expect.stringContaining('<title>Incidents of subnetd</title>')]);
  for (const path of [
    '/metrics',
    '/status.json',
    '/targets/s/n',
    '/alerts',
    '/events',
    '/?subnet=s&full',
    '/incidents',
    '/incidents/x.md',
  ])
    expect([path, (await ask(path))[0]]).toEqual([path, 401]);
  const probe = async (headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${daemon.url}/targets/s/n/probe`, { method: 'POST', redirect: 'manual', headers });
    return [answer.status, answer.headers.get('location')];
  };
  expect(await probe({})).toEqual([401, null]);
  expect(await probe({ authorization, 'sec-fetch-site': 'cross-site' })).toEqual([403, null]);
  // Node's own fetch says that it is none of a page.
  expect(await probe({ authorization, origin: daemon.url })).toEqual([303, '/targets/s/n']);
  const [, target] = await ask('/targets/s/n', { authorization });
  expect(target).toContain('action="/targets/s/n/probe"');
  expect(target).toMatch(/POST http:\/\/127\.0\.0\.1:1<\/code>, took .* failed: the connection was refused/s);
});

test('a public daemon without users does not start, as everybody would see everything', async () => {
  writeFileSync(pathOf('subnetd.yaml'), 'subnets: []\n');
  const { code, stderr } = await runCli(['run', '--config', pathOf('subnetd.yaml')], { SUBNETD_PUBLIC: 'true' });
  expect([code, stderr]).toEqual([
    2,
    'subnetd: SUBNETD_PUBLIC opens a page without details beside those for your users; name them in basic_auth_users of SUBNETD_WEB_CONFIG, else everybody sees everything\n',
  ]);
  expect((await runCli(['run'], { SUBNETD_PUBLIC: 'yes' })).stderr).toBe(
    'subnetd: SUBNETD_PUBLIC must be true or false\n',
  );
});
