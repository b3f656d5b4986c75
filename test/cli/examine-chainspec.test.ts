import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareChainspec } from '../../src/cli/compare-chainspec.ts';
import { withChainspecs } from '../../src/cli/examine-chainspec.ts';
import { DEFAULT_SETTINGS } from '../../src/model/target.ts';
import { diagnosedNode, NOW } from '../support/diagnosed.ts';
import { judgeTargets } from '../support/judge-targets.ts';
import { deployment } from '../watch/import/deployments.ts';

const ROUND = {
  maxMasternodes: 108,
  switchRound: 0,
  minePeriod: 2,
  timeoutSyncThreshold: 3,
  timeoutPeriod: 10,
  certificateThreshold: 0.667,
};
const ALLOC = {
  '00000000000000000000000000000000000000AA': { balance: '0x10', code: '0x0060', storage: { '0x00': '0x01' } },
  '00000000000000000000000000000000000000bb': { balance: '255' },
};
const GENESIS = {
  config: {
    chainId: 5551,
    XDPoS: {
      ...{ period: 2, epoch: 900, gap: 450, reward: 1 },
      v2: { switchBlock: 0, allConfigs: { 0: { ...ROUND, masternodeReward: 45.6, expTimeoutConfig: { base: 1 } } } },
    },
  },
  timestamp: '0x65',
  extraData: '0x00aa',
  alloc: ALLOC,
};

/** What the generator makes of that genesis. */
const specOf = (engine: 'XDPoS' | 'XDPoSSubnet') => ({
  engine: {
    [engine]: {
      params: { period: 2, epoch: 900, gap: 450, switchBlock: 0, v2Configs: [{ ...ROUND, masternodeReward: 0 }] },
    },
  },
  params: { chainId: 5551 },
  genesis: { timestamp: '0x65', extraData: '0x00aa' },
  accounts: ALLOC,
});
const SPEC = specOf('XDPoSSubnet');

/** The chainspec with other members of the engine, and other members at its top. */
const changed = (params: object, top: object = {}) => ({
  ...SPEC,
  engine: { XDPoSSubnet: { params: { ...SPEC.engine.XDPoSSubnet?.params, ...params } } },
  ...top,
});

describe('a chainspec', () => {
  test.each(['XDPoS', 'XDPoSSubnet'] as const)(
    'of the engine %s that the generator made is no other chain',
    (engine) => {
      expect(compareChainspec(GENESIS, specOf(engine))).toEqual([]);
    },
  );

  test('that writes its numbers and accounts in another form is no other chain', () => {
    const accounts = {
      '0x00000000000000000000000000000000000000bb': { balance: '0xff' },
      '0x00000000000000000000000000000000000000aa': { storage: { '0x00': '0x1' }, code: '0x0060', balance: '16' },
    };
    expect(compareChainspec(GENESIS, changed({ epoch: '0x384' }, { accounts, params: { chainId: '0x15af' } }))).toEqual(
      [],
    );
  });

  test.each([
    [changed({}, { params: { chainId: 5552 } }), 'the chain id is 5551 in genesis.json and 5552 in chainspec.json'],
    [changed({ epoch: 90 }), 'the epoch is 900 in genesis.json and 90 in chainspec.json'],
    [changed({ gap: undefined }), 'the gap is 450 in genesis.json and absent in chainspec.json'],
    [changed({ period: 3 }), 'the period is 2 in genesis.json and 3 in chainspec.json'],
    [changed({ switchBlock: 9 }), 'the switch block is 0 in genesis.json and 9 in chainspec.json'],
    [
      changed({ v2Configs: [{ ...ROUND, certificateThreshold: 0.5 }] }),
      'the certificate threshold is 0.667 in genesis.json and 0.5 in chainspec.json',
    ],
    [
      changed({ v2Configs: [{ ...ROUND, timeoutPeriod: 20 }] }),
      'the timeout period is 10 in genesis.json and 20 in chainspec.json',
    ],
    [changed({ v2Configs: [ROUND, { switchRound: 900 }] }), 'only chainspec.json has settings from round 900'],
    [
      changed({}, { genesis: { timestamp: '0x66', extraData: '0x00aa' } }),
      'the time of block 0 is 101 in genesis.json and 102 in chainspec.json',
    ],
  ])('%#. that differs says how', (spec, words) => {
    expect(compareChainspec(GENESIS, spec)).toEqual([words]);
  });

  test('with another account, or with code that lost a zero, has another digest of them', () => {
    const words = /^the digest of the accounts is [0-9a-f]{12} in genesis\.json and [0-9a-f]{12} in chainspec\.json$/;
    const [account] = Object.keys(ALLOC);
    for (const over of [{ balance: '0x11' }, { code: '0x60' }]) {
      const accounts = { ...ALLOC, [`${account}`]: { ...ALLOC['00000000000000000000000000000000000000AA'], ...over } };
      expect(compareChainspec(GENESIS, changed({}, { accounts }))).toEqual([expect.stringMatching(words)]);
    }
    expect(compareChainspec(GENESIS, changed({}, { accounts: undefined }))).toEqual([expect.stringMatching(words)]);
  });
});

const REPORT = { findings: [], unexamined: [], examined: 7 };

/** A subnet of a Go node and of one of Nethermind, with the log of the latter below the folder, if there is one. */
function snapshotOf(folder: string | undefined, client: 'nethermind' | 'xdposchain' = 'nethermind') {
  const nodes = ['n1', 'n2'].map((name) => {
    const { target, facts } = diagnosedNode(name, ['n1', 'n2']);
    const path = folder === undefined ? [] : [{ path: join(folder, 'xdcchain2/logs/xdc.log'), timezone: 'UTC' }];
    const { ipc: _, ...rest } = { ipc: undefined, ...target };
    const own = { ...rest, logFiles: name === 'n2' ? path : [], ...(name === 'n2' && { client }) };
    return { target: own as typeof target, facts };
  });
  const subnet = {
    ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
    targets: nodes.map(({ target }) => target),
  };
  return [{ subnet, targets: judgeTargets(nodes, NOW), facts: {}, problems: [] }];
}

const folderOf = (files: Readonly<Record<string, unknown>>): string =>
  deployment(Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])), "it's");
const BOTH = { 'genesis.json': GENESIS, 'chainspec.json': SPEC };
const STALE = { ...BOTH, 'chainspec.json': changed({ epoch: 90 }) };

describe('the doctor', () => {
  test('says that it compared the two files', () => {
    const report = withChainspecs(REPORT, snapshotOf(folderOf(BOTH)));
    expect(report).toEqual({ findings: [], unexamined: [], examined: 8 });
  });

  test('finds another chain, with the command that mends it', () => {
    const folder = folderOf({ ...STALE, 'scripts/check-chainspec.sh': '' });
    const word = `'${folder.replace("'", "'\\''")}'`;
    const finding = {
      finding: 'chainspec_differs',
      severity: 'warning',
      subnet: 'devnet',
      summary: 'chainspec.json does not match genesis.json, so nodes that start with it fork off from the others',
      evidence: `in ${folder}, the epoch is 900 in genesis.json and 90 in chainspec.json`,
      fix: `run \`cd ${word} && scripts/check-chainspec.sh\`, which regenerates it, and recreate n2; if block 0 differs from that of the other nodes, first remove nethermind_db from the data folder`,
    };
    expect(withChainspecs(REPORT, snapshotOf(folder)).findings).toEqual([finding]);
    // A folder that is given goes before one that is found, and private networks have no such script.
    const [given] = withChainspecs(REPORT, snapshotOf(folder), folderOf(STALE)).findings;
    expect(given?.fix).toMatch(
      /^regenerate it from genesis\.json, as scripts\/check-chainspec\.sh of the generator does, /,
    );
  });

  test('lists it below what is critical, and above what is for information', () => {
    const one = { finding: 'x', subnet: 'devnet', summary: '', evidence: '', fix: '' } as const;
    const findings = (['critical', 'warning', 'info'] as const).map((severity) => ({ ...one, severity }));
    const report = withChainspecs({ ...REPORT, findings }, snapshotOf(folderOf(STALE)));
    expect(report.findings.map(({ finding, severity }) => `${finding} ${severity}`)).toEqual([
      'x critical',
      'x warning',
      'chainspec_differs warning',
      'x info',
    ]);
  });

  test.each([
    ['is missing', { 'chainspec.json': SPEC }, 'genesis.json does not exist'],
    ['is missing', { 'genesis.json': GENESIS }, 'chainspec.json does not exist'],
    ['is not an object', { ...BOTH, 'genesis.json': [1] }, 'genesis.json is not a JSON object'],
  ])('says that it examined nothing where a file %s', (_, files, why) => {
    const folder = folderOf(files);
    expect(withChainspecs(REPORT, snapshotOf(folder))).toEqual({
      ...REPORT,
      unexamined: [
        {
          ...{ subnet: 'devnet', what: 'whether chainspec.json matches genesis.json', names: ['n2'] },
          ...{ because: `${folder}/${why}`, failed: true },
        },
      ],
    });
  });

  test('says so of broken JSON without quoting it, and of what is not a file', () => {
    const folder = folderOf(BOTH);
    writeFileSync(join(folder, 'chainspec.json'), '{"canary');
    const because = () => withChainspecs(REPORT, snapshotOf(folder)).unexamined[0]?.because;
    expect(because()).toBe(`${folder}/chainspec.json is not valid JSON`);
    rmSync(join(folder, 'chainspec.json'));
    mkdirSync(join(folder, 'chainspec.json'));
    expect(because()).toBe(`${folder}/chainspec.json is not a file`);
  });

  test('says so of a file that it cannot open', () => {
    const folder = folderOf({});
    for (const name of Object.keys(BOTH)) symlinkSync(name, join(folder, name));
    expect(withChainspecs(REPORT, snapshotOf(folder)).unexamined[0]?.because).toBe(
      `${folder}/genesis.json cannot be read (ELOOP)`,
    );
  });

  test('asks for the folder where the inventory names no file, of nodes that read a chainspec only', () => {
    expect(withChainspecs(REPORT, snapshotOf(undefined)).unexamined).toEqual([
      {
        ...{ subnet: 'devnet', what: 'whether chainspec.json matches genesis.json', names: ['n2'] },
        because: 'the inventory names no file in the folder of the deployment',
        fix: 'run subnetd doctor with --folder DIR on the machine of the deployment',
        failed: false,
      },
    ]);
    for (const folder of [undefined, folderOf({ 'genesis.json': GENESIS })])
      expect(withChainspecs(REPORT, snapshotOf(folder, 'xdposchain'))).toEqual(REPORT);
  });
});
