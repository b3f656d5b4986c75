import { describe, expect, test } from 'vitest';
import { viewSubnet } from '../../src/diagnosis/view-subnet.ts';
import type { Known } from '../../src/model/facts.ts';
import type { TargetSetup } from '../../src/model/setup.ts';
import { DEFAULT_SETTINGS, targetKey } from '../../src/model/target.ts';
import { diagnosedNode, listCauses, NOW } from '../support/diagnosed.ts';
import { judgeTargets } from '../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const FOUR = NAMES.map((name) => diagnosedNode(name, NAMES));

/** The findings in a subnet of these targets that are set up so, by the name of the target. */
function found(setups: Readonly<Record<string, TargetSetup>>, targets: readonly Known[] = FOUR) {
  const read = targets.map(({ target }) => [targetKey(target), setups[target.name] ?? {}] as const);
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    targets: targets.map(({ target }) => target),
    settings: DEFAULT_SETTINGS,
  };
  const setup = { observation: { engines: new Map(), named: [], targets: new Map(read) }, at: NOW };
  return listCauses(viewSubnet(subnet, judgeTargets(targets, NOW), NOW, { setup })).map(
    ({ problem, name, summary, evidence, fix }) => [problem, name, summary, evidence, fix],
  );
}

const runs = (commit: string): TargetSetup => ({
  client: {
    ok: true,
    value: { version: { ok: true, value: `XDC/v2.0.0-unstable-${commit}/linux-amd64/go1.21.13` }, tookMs: [2, 1, 1] },
  },
});

describe('the versions of the clients', () => {
  test('that differ are one finding, with the nodes of each', () => {
    expect(found({ n1: runs('aa'), n2: runs('aa'), n3: runs('bb'), n4: runs('aa') })).toEqual([
      [
        'client_versions_differ',
        undefined,
        'the nodes run different versions of the client',
        '3 nodes run XDC/v2.0.0-unstable-aa/linux-amd64/go1.21.13 (n1, n2, n4), 1 runs XDC/v2.0.0-unstable-bb/linux-amd64/go1.21.13 (n3)',
        'give n3 the line `image:` that n1 has in docker-compose.yml, or the other way round, and recreate one after another with `docker compose up -d SERVICE`',
      ],
    ]);
  });

  test('that are the same, or that a node does not give, are no finding', () => {
    const silent: TargetSetup = { client: { ok: false, why: 'it does not answer' } };
    expect(found({ n1: runs('aa'), n2: runs('aa'), n3: silent })).toEqual([]);
  });
});
