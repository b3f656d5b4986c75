import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, type Inventory } from '../../../src/model/target.ts';
import { formatInventoryError, parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';

const parse = (text: string, environment: Readonly<Record<string, string>> = {}): Inventory => {
  const parsed = parseInventory(text, environment);
  if (!parsed.ok) throw new Error(parsed.errors.map((error) => formatInventoryError('f', error)).join('\n'));
  return parsed.inventory;
};
const errors = (text: string, environment: Readonly<Record<string, string>> = {}): readonly string[] => {
  const parsed = parseInventory(text, environment);
  return parsed.ok ? [] : parsed.errors.map((error) => formatInventoryError('f.yaml', error));
};

const folder = new URL('./bad/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -5));

describe('a bad inventory', () => {
  it.each(names)('%s has exactly its messages, each at its place', (name) => {
    const expected = readFileSync(new URL(`${name}.txt`, folder), 'utf8')
      .trim()
      .split('\n');
    const text = readFileSync(new URL(`${name}.yaml`, folder), 'utf8');
    expect(errors(text)).toEqual(expected.map((line) => `f.yaml:${line}`));
  });

  it('reports every error at once, in the order of the text', () => {
    const text =
      readFileSync(new URL('unknown-key.yaml', folder), 'utf8') +
      readFileSync(new URL('bad-docker.yaml', folder), 'utf8').split('\n')[1];
    expect(errors(`${text}\nmore: 1\n`).map((line) => line.split(': ')[1])).toEqual([
      'subnets[0].nodes[0].foo',
      'docker.port',
      'more',
    ]);
  });

  it('reports errors between values beside unknown keys and wrong values', () => {
    const text = `subnets:
  - name: d
    colour: red
    nodes:
      - { name: a, rpc: ftp://h }
      - { name: a, rpc: http://h, foo: 1 }
      - { name: b, consoleExec: true }
      - { name: c, consoleExec: true, container: { name: c }, client: nethermind }
    relayer: { readsFrom: nobody, urll: http://h }
  - name: d
    nodes: [{ name: x, rpc: http://h }]
alertmanager: { urls: [http://h, http://h/], tls: { cert: c }, basicAuth: { username: u, passwordFile: p }, bearerTokenFile: t, x: 1 }
`;
    expect(errors(text).map((line) => line.replace(/^f.yaml:(\d+):\d+: /, '$1 '))).toEqual([
      '3 subnets[0].colour: is not a known key',
      '5 subnets[0].nodes[0].rpc: must be a URL such as http://127.0.0.1:8545',
      '6 subnets[0].nodes[1].name: another node of this subnet is already called a',
      '6 subnets[0].nodes[1].foo: is not a known key',
      '7 subnets[0].nodes[2]: needs at least one of rpc, ipc and container',
      '7 subnets[0].nodes[2].consoleExec: needs the container in which to run XDC attach',
      '8 subnets[0].nodes[3].consoleExec: does not work with Nethermind, which has no console; give the node an rpc address',
      '9 subnets[0].relayer.readsFrom: must be the name of a node of this subnet',
      '9 subnets[0].relayer.urll: is not a known key; did you mean url?',
      '10 subnets[1].name: another subnet is already called d',
      '12 alertmanager.urls[1]: is already in the list',
      '12 alertmanager.tls: needs both cert and key, or neither',
      '12 alertmanager.bearerTokenFile: cannot be combined with basicAuth, because both use the same header; keep one of them',
      '12 alertmanager.x: is not a known key',
    ]);
    // What has an error itself is no reason for another.
    const first = 'subnets: [{ name: d, nodes: [{ name: 5, rpc: http://h }], stats: { readsFrom: "5" } }]\n';
    expect(errors(first).map((line) => line.split(': ')[1])).toEqual(['subnets[0].nodes[0].name']);
    const names = 'subnets: [{ name: d, nodes: [{ name: "a\\e", rpc: http://h }, { name: "a\\e", rpc: http://i }] }]\n';
    expect(errors(names)).toHaveLength(2);
    expect(errors(names).join()).not.toContain('\u001b');
  });

  it('never shows a value, which may be a secret', () => {
    const secret = 'hunter2';
    const text = `subnets:\n  - name: d\n    nodes:\n      - { name: a, rpc: 'ftp://u:${secret}@h', ipc: [${secret}] }\n      - "${secret}\n`;
    expect(errors(text).length).toBeGreaterThan(0);
    expect(errors(text).join()).not.toContain(secret);
    const substituted = `subnets:\n  - name: d\n    nodes:\n      - { name: a, rpc: '\${S}', expectedPeers: '\${S}' }\n`;
    expect(errors(substituted, { S: secret }).length).toBe(2);
    expect(errors(substituted, { S: secret }).join()).not.toContain(secret);
  });

  it('is a list of errors for any text, and never throws', () => {
    const piece = fc.constantFrom(
      'subnets',
      ':',
      ' ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '&a',
      '*a',
      '<<',
      '"',
      "'",
      '${',
      '}',
      '#',
      '? ',
      '!!x',
      'null',
      '1e9',
      'nodes',
      'name',
      '\t',
      '\0',
      '𝄞',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
        (text) => {
          for (const line of errors(text)) expect(line).toMatch(/^f\.yaml:[1-9]\d*:[1-9]\d*: \S.*: ./s);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('with aliases that multiply is refused', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'.split('').map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]`),
    ];
    expect(errors(bomb.join('\n'))[0]).toContain('cannot be read');
  });
});

const minimal = `subnets:\n  - name: d\n    nodes:\n      - { name: a, rpc: 'http://x' }\n      - { name: b, rpc: 'http://y' }\n`;

describe('a good inventory', () => {
  it('reaches an engine by ssh with the files and the agent of the user that runs subnetd', () => {
    const engines = (docker: string, environment: Readonly<Record<string, string>> = {}) =>
      parse(`${minimal}docker: ${docker}\n`, environment).engines;
    const system = '/etc/ssh/ssh_known_hosts';
    expect(engines('{ ssh: ssh://op@10.0.0.2:2222, identityFile: /k, passphraseFile: /p, knownHosts: /h }')).toEqual({
      default: {
        ssh: { user: 'op', host: '10.0.0.2', port: 2222, identityFile: '/k', passphraseFile: '/p', knownHosts: ['/h'] },
      },
    });
    const environment = { HOME: '/home/op', SSH_AUTH_SOCK: '/run/agent' };
    expect(engines('{ engines: { m1: { ssh: "op@[::1]" }, m2: { socketPath: /s } } }', environment)).toEqual({
      m1: {
        ssh: {
          user: 'op',
          host: '::1',
          port: 22,
          agent: '/run/agent',
          knownHosts: ['/home/op/.ssh/known_hosts', system],
        },
      },
      m2: { socketPath: '/s' },
    });
    expect(engines('{ ssh: op@h }', { HOME: '', SSH_AUTH_SOCK: '' }).default).toEqual({
      ssh: { user: 'op', host: 'h', port: 22, knownHosts: [system] },
    });
    const refused = ['op@h:0', 'op@h:65536', 'op@', '@h', 'op@h/path', 'tcp://op@h', 'o p@h', '-op@h', 'op@-oProxy'];
    for (const ssh of refused) expect(errors(`${minimal}docker: { ssh: '${ssh}' }\n`), ssh).toHaveLength(1);
  });

  it('gets the defaults that the documentation promises', () => {
    const { subnets, engines } = parse(minimal);
    expect(engines).toEqual({ default: { socketPath: '/var/run/docker.sock' } });
    expect(subnets[0]).toMatchObject({
      name: 'd',
      consensus: 'XDPoS',
      settings: {
        rpc: {
          schedule: { kind: 'every', ms: 10_000 },
          timeoutMs: 5000,
          stallAfterMs: 60_000,
          maxLag: 10,
          enabled: true,
        },
        containers: { schedule: { kind: 'every', ms: 10_000 }, timeoutMs: 5000 },
        services: { schedule: { kind: 'every', ms: 30_000 }, timeoutMs: 10_000 },
        logs: { bootnodeWindowMs: 600_000, blockDataWithinMs: 120_000, errorWindowMs: 300_000 },
        console: { schedule: { kind: 'every', ms: 300_000 }, timeoutMs: 30_000 },
      },
    });
    expect(subnets[0]?.settings).toEqual(DEFAULT_SETTINGS);
    expect(subnets[0]?.targets).toMatchObject([{ expectedPeers: 1, consoleExec: false }, { expectedPeers: 1 }]);
  });

  it('takes what a node runs from the inventory only where that says so', () => {
    const nodes = ['xdc-subnet', 'xdposchain', 'nethermind', 'auto'].map(
      (client, index) => `      - { name: n${index}, rpc: "http://n${index}:8545", client: ${client} }\n`,
    );
    const [subnet] = parse(`subnets:\n  - name: d\n    nodes:\n${nodes.join('')}`).subnets;
    expect(subnet?.targets.map((target) => 'client' in target && target.client)).toEqual([
      ...['xdc-subnet', 'xdposchain', 'nethermind'],
      false,
    ]);
  });

  it('replaces variables, reads a plain one again, and leaves the escaped two characters', () => {
    const text = `subnets:\n  - name: d\n    nodes:\n      - name: \${NAME}\n        rpc: http://\${HOST}:8545/$\${x}\n        expectedPeers: \${PEERS}\n`;
    expect(parse(text, { NAME: 'a', HOST: '10.0.0.1', PEERS: '7' }).subnets[0]?.targets[0]).toMatchObject({
      name: 'a',
      rpc: 'http://10.0.0.1:8545/${x}',
      expectedPeers: 7,
    });
  });

  it('cannot be given structure by a variable', () => {
    const text = `subnets:\n  - name: d\n    nodes:\n      - name: \${NAME}\n        rpc: http://x\n`;
    expect(parse(text, { NAME: '{ foo: 1 }' }).subnets[0]?.targets[0]?.name).toBe('{ foo: 1 }');
  });

  it('may share settings by anchors', () => {
    const text = `subnets:\n  - &d\n    name: d\n    nodes: [{ name: a, rpc: 'http://x' }]\n  - <<: *d\n    name: e\n`;
    expect(parse(text).subnets.map(({ name }) => name)).toEqual(['d', 'e']);
  });

  it('may have names in any script, which label values can hold', () => {
    expect(parse(minimal.replace('name: a,', 'name: "узел \\"1\\"",')).subnets[0]?.targets[0]?.name).toBe('узел "1"');
  });

  it('holds everything that the format knows', () => {
    const text = readFileSync(new URL('./full.yaml', import.meta.url), 'utf8');
    const [subnet] = parse(text).subnets;
    expect(subnet?.targets.map(({ component }) => component)).toEqual([
      'node',
      'bootnode',
      'relayer',
      'stats',
      'frontend',
    ]);
    expect(subnet?.targets[0]).toMatchObject({
      p2p: '192.168.25.11:20303',
      logFiles: [
        { path: '/l', timezone: 'UTC' },
        { path: '/m', timezone: 'Asia/Dubai' },
      ],
    });
    expect(subnet?.targets.map(({ region }) => region)).toEqual(['eu', 'us', 'eu west', 'no', '5']);
    expect(parse(minimal).subnets[0]?.targets[0]).not.toHaveProperty('region');
    expect(subnet?.parentChain).toEqual({
      rpc: 'https://rpc.example.com/token',
      contract: '0x7ef68f8d2f5f4a8b2f2ee1a2ef3fd13ac7d7d3a1',
      wallet: 'xdc7ef68f8d2f5f4a8b2f2ee1a2ef3fd13ac7d7d3a1',
    });
    expect(subnet?.settings.rpc.schedule).toEqual({ kind: 'cron', expression: '*/5 * * * * *' });
  });

  it('has channels with their kinds, severities and repeat intervals', () => {
    const { channels = [] } = parse(readFileSync(new URL('./full.yaml', import.meta.url), 'utf8'));
    expect(channels.map(({ name, target }) => `${name} ${target.kind}`)).toEqual([
      'hook webhook',
      'file webhook',
      'chat slack',
      'bot telegram',
      'guild discord',
      'pager pagerduty',
      'phone ntfy',
      'mail email',
    ]);
    expect(channels[0]).not.toHaveProperty('repeatMs');
    expect(channels[1]).toMatchObject({ severities: ['critical', 'warning'], repeatMs: 4 * 3_600_000 });
    expect(channels[3]?.target).toEqual({
      kind: 'telegram',
      tokenFile: '/run/secrets/bot',
      chatId: '-1001234567890',
      threadId: 7,
      buttons: true,
      apiUrl: 'http://127.0.0.1:8081',
    });
    expect(channels[4]).toMatchObject({ severities: ['critical', 'warning'], repeatMs: 1_800_000 });
    expect(channels[5]).toMatchObject({ target: { apiUrl: 'https://events.eu.pagerduty.com' }, afterMs: 900_000 });
    expect(parse(minimal).channels).toEqual([]);
  });

  it('has heartbeats, every minute unless it says otherwise', () => {
    const { heartbeats } = parse(readFileSync(new URL('./full.yaml', import.meta.url), 'utf8'));
    expect(heartbeats).toEqual([
      { urlFile: '/run/secrets/beat', everyMs: 60_000 },
      { urlFile: '/run/secrets/other-beat', everyMs: 30_000 },
    ]);
    expect(parse(minimal).heartbeats).toEqual([]);
  });
});
