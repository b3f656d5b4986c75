import { expect, test } from 'vitest';
import { diagnoseSubnet, NO_PROBLEMS } from '../../src/diagnosis/diagnose-subnet.ts';
import { findHeadline } from '../../src/diagnosis/find-headline.ts';
import type { KnownTarget } from '../../src/model/facts.ts';
import { DEFAULT_SETTINGS } from '../../src/model/target.ts';
import { diagnosedNode, NOW } from '../support/diagnosed.ts';
import { judgeTargets } from '../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** A node that answers, and whose Docker Engine may not. */
function nodeOf(name: string, isUnseen: boolean): KnownTarget {
  const node = diagnosedNode(name, NAMES, { peers: NAMES.filter((other) => other !== name) });
  const why = { address: 'unix:///var/run/docker.sock', code: 'ENOENT' } as const;
  const container = { restarts: 0, oomKills: 0, observation: { kind: 'docker-unreachable', why } as const };
  return isUnseen ? ({ ...node, facts: { ...node.facts, container } } as KnownTarget) : node;
}

/** The headline of a subnet whose first nodes have a Docker Engine that does not answer. */
function headlineOf(unseen: number) {
  const targets = NAMES.map((name, index) => nodeOf(name, index < unseen));
  const judged = judgeTargets(targets, NOW);
  const consensus = 'XDPoS' as const;
  const subnet = {
    name: 'devnet',
    consensus,
    settings: DEFAULT_SETTINGS,
    targets: targets.map(({ target }) => target),
  };
  const { problems, quorum } = diagnoseSubnet(subnet, judged, NO_PROBLEMS, NOW);
  return findHeadline('devnet', judged, problems, quorum);
}

const WELL = 'devnet is well: one more node may fail';
const VOTES = '4 of 4 masternodes can vote, 3 are needed.';

test('a subnet that is well says which containers nobody can see', () => {
  expect(headlineOf(0)).toEqual({ standing: 'ok', sentence: WELL, detail: VOTES });
  expect(headlineOf(1)).toEqual({
    standing: 'ok',
    sentence: WELL,
    detail: `${VOTES} Docker does not answer, so 1 container and its log cannot be seen.`,
  });
  expect(headlineOf(4)).toEqual({
    standing: 'ok',
    sentence: WELL,
    detail: `${VOTES} Docker does not answer, so 4 containers and their logs cannot be seen.`,
  });
});
