import { describe, expect, test } from 'vitest';
import type { Fault, NodeObservation, PageObservation } from '../../../src/model/observation.ts';
import type { NodeTarget, ServiceTarget } from '../../../src/model/target.ts';
import { foldPage } from '../../../src/watch/rules/fold.ts';
import { judgeLatestBlock, judgePeers } from '../../../src/watch/rules/judge-node.ts';
import { judgePage } from '../../../src/watch/rules/judge-services.ts';
import type { View } from '../../../src/watch/rules/view.ts';
import { asRead } from '../../support/views.ts';

const base = { subnet: 'devnet', logFiles: [], patterns: [] } as const;
const frontend: ServiceTarget = { ...base, component: 'frontend', name: 'frontend' };
const node: NodeTarget = { ...base, component: 'node', name: 'subnet1', consoleExec: false, expectedPeers: 3 };
const settings = { rpc: { stallAfterMs: 60_000, maxLag: 10 } } as View['settings'];
const rest = { subnet: [], settings, consensus: 'XDPoS', now: 0, toWall: (at: number) => at };

const judge = (observation: PageObservation) =>
  asRead(judgePage({ target: frontend, facts: { page: foldPage(undefined, observation) }, ...rest }));
const seen = { kind: 'visited', consoleErrors: 0, exceptions: 0, failedRequests: 0 } as const;

test('a visit without an error passes, any error fails and is counted in words, and no browser is unknown', () => {
  expect(judge(seen).verdict).toBe('pass');
  expect(judge({ ...seen, failedRequests: 1, exceptions: 2 })).toMatchObject({
    verdict: 'fail',
    reason: expect.stringContaining('1 failed request, 2 uncaught exceptions; see that the stats server answers'),
  });
  expect(judge({ ...seen, consoleErrors: 1 }).reason).toContain('1 error on its console');
  expect(judge({ kind: 'no-page', why: 'dialogs' }).verdict).toBe('fail');
  expect(judge({ kind: 'no-browser', why: 'timeout' })).toMatchObject({ verdict: 'unknown' });
  expect(judgePage({ target: frontend, facts: {}, ...rest }).verdict).toBe('unknown');
});

test('errors add up over visits, and a visit without a browser adds none', () => {
  const visits: readonly PageObservation[] = [
    { ...seen, consoleErrors: 2, failedRequests: 1 },
    { kind: 'no-browser', why: 'died' },
    { kind: 'no-page', why: 'timeout' },
  ];
  expect(visits.reduce<ReturnType<typeof foldPage> | undefined>(foldPage, undefined)?.errors).toBe(4);
});

describe('a socket that subnetd may not open', () => {
  const denied: Fault = { kind: 'socket', path: '/srv/XDC.ipc', state: 'denied', owner: 'root', mode: '0600' };
  const view = (observation: NodeObservation): View<NodeTarget> => ({
    target: node,
    facts: { node: { observation } },
    ...rest,
  });

  test('degrades the peers that HTTP can only count, with its owner and mode', () => {
    const observation: NodeObservation = {
      answered: true,
      latest: { ok: true, value: { number: 1 } },
      peers: { ok: true, value: { count: 3, via: 'net_peerCount' } },
      ipcFault: denied,
    };
    const { verdict, reason } = asRead(judgePeers(view(observation)));
    expect(verdict).toBe('degraded');
    for (const part of ['/srv/XDC.ipc', 'root', '0600']) expect(reason).toContain(part);
  });

  test('degrades all checks without another source, and says that nothing is seen', () => {
    const fault = { ok: false, fault: denied } as const;
    const observation: NodeObservation = { answered: false, latest: fault, peers: fault };
    for (const { verdict, reason } of [
      asRead(judgePeers(view(observation))),
      asRead(judgeLatestBlock(view(observation))),
    ]) {
      expect(verdict).toBe('degraded');
      expect(reason).toMatch(/nothing is seen of subnet1.*root, mode 0600/);
    }
  });

  test('differs from one that is missing, which fails', () => {
    const fault = { ok: false, fault: { kind: 'socket', path: '/srv/XDC.ipc', state: 'missing' } } as const;
    expect(judgeLatestBlock(view({ answered: false, latest: fault, peers: fault })).verdict).toBe('fail');
  });
});
