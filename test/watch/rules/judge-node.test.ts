import { describe, expect, it } from 'vitest';
import type { ChainFacts, ContainerFacts } from '../../../src/model/facts.ts';
import type { Fault, NodeObservation } from '../../../src/model/observation.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { explainFault } from '../../../src/watch/rules/explain-fault.ts';
import { foldNode } from '../../../src/watch/rules/fold-node.ts';
import { judgeLatestBlock, judgePeers } from '../../../src/watch/rules/judge-node.ts';
import { judgeHttp } from '../../../src/watch/rules/judge-services.ts';
import { asRead, aView, nodeTarget, runningSince, serviceTarget } from '../../support/views.ts';

const NOW = 1_000_000;
const at = (number: number, more: Partial<NodeObservation> = {}) => ({
  node: foldNode(
    undefined,
    { answered: true, latest: { ok: true, value: { number } }, ...more },
    { at: NOW, stallAfterMs: 60_000 },
  ),
});
const down = (fault: Fault = { kind: 'refused', address: 'http://x:1' }) => ({
  node: foldNode(
    undefined,
    { answered: false, latest: { ok: false, fault }, peers: { ok: false, fault } },
    { at: NOW, stallAfterMs: 60_000 },
  ),
});

describe('latest_block', () => {
  const judge = (own: number, other: number) =>
    asRead(
      judgeLatestBlock(
        aView(nodeTarget('a'), at(own), { now: NOW, others: [{ target: nodeTarget('b'), facts: at(other) }] }),
      ),
    );

  it('passes at the limit of blocks behind the other nodes', () => expect(judge(90, 100).verdict).toBe('pass'));
  it('fails one block further behind', () => {
    expect(judge(89, 100)).toMatchObject({
      verdict: 'fail',
      reason: expect.stringContaining('11 behind the other nodes (limit 10)'),
    });
  });
  it('does not fail for being ahead', () => expect(judge(200, 100).verdict).toBe('pass'));
  it('is not measured against a node whose last probe failed', () => {
    const before = at(500);
    const gone = foldNode(
      before.node,
      { answered: false, latest: { ok: false, fault: { kind: 'tls', address: '' } } },
      { at: NOW, stallAfterMs: 60_000 },
    );
    const view = aView(nodeTarget('a'), at(5), {
      now: NOW,
      others: [{ target: nodeTarget('b'), facts: { node: gone } }],
    });
    expect(judgeLatestBlock(view).verdict).toBe('pass');
  });
  it('gives the call to repeat when the node hides an unknown error in its result', () => {
    expect(asRead(judgeLatestBlock(aView(nodeTarget('a'), down({ kind: 'result-error' })))).reason).toContain(
      '"method":"XDPoS_getV2BlockByNumber"',
    );
  });
  it('asks for a minute while the container was started a moment ago', () => {
    const judgeAfter = (startedMs: number, fault?: Fault) => {
      const facts = { ...down(fault), container: runningSince(NOW - startedMs) };
      return asRead(judgeLatestBlock(aView(nodeTarget('a'), facts, { now: NOW }))).reason;
    };
    const silent = 'a did not return its latest block: nothing listens at http://x:1';
    expect(judgeAfter(44_999)).toBe(`${silent}; wait up to a minute: it has just started`);
    expect(judgeAfter(45_000)).toContain(
      `${silent}; start it if it does not run, or correct the address in the inventory`,
    );
    const unreachable = { kind: 'unreachable', address: 'http://x:1' } as const;
    expect(judgeAfter(1_000, unreachable)).toMatch(/http:\/\/x:1 cannot be reached; wait up to a minute/);
    expect(judgeAfter(60_000, unreachable)).toMatch(/check the route and the firewall/);
    // So it is after each start of one that ends again and again.
    const again = { lastRestartAt: NOW - 2_000, lastRestartBy: 'policy', earlierCrashes: [NOW - 13_000] } as const;
    const looping = { ...down(), container: { ...runningSince(NOW - 2_000), ...again } };
    expect(asRead(judgeLatestBlock(aView(nodeTarget('a'), looping, { now: NOW }))).reason).toBe(
      `${silent}; wait up to a minute: it has just started`,
    );
  });
  it('is unknown before the first probe', () => {
    expect(judgeLatestBlock(aView(nodeTarget('a'), {})).verdict).toBe('unknown');
  });
});

describe('peers', () => {
  const counted = (count: number, via: 'admin_peers' | 'net_peerCount') =>
    asRead(judgePeers(aView(nodeTarget('a'), at(1, { peers: { ok: true, value: { count, via } } }))));

  it('counts a single one as one', () =>
    expect(counted(1, 'admin_peers').reason).toBe(
      'a has 1 peer instead of 3; check the bootnode and the firewall for the p2p ports',
    ));
  it('passes with the expected number', () => expect(counted(3, 'admin_peers').verdict).toBe('pass'));
  it('is degraded when only the number is known, and names the socket, as admin over HTTP is dangerous', () => {
    expect(counted(3, 'net_peerCount')).toEqual({
      verdict: 'degraded',
      reason:
        'a has 3 peers by net_peerCount, which tells no more than a number; to see who they are, give a the path of its XDC.ipc as ipc in the inventory; admin over HTTP would let whoever reaches that port change the node',
    });
  });
  it('passes by the number while a socket that is named has not been asked yet', () => {
    const facts = at(1, { peers: { ok: true, value: { count: 3, via: 'net_peerCount' } } });
    expect(asRead(judgePeers(aView(nodeTarget('a', { ipc: '/srv/a/XDC.ipc' }), facts)))).toMatchObject({
      verdict: 'pass',
      reason: 'a has 3 peers',
    });
  });
  it('passes with more: a node that the inventory does not list may be a peer of all', () => {
    expect(counted(4, 'admin_peers').verdict).toBe('pass');
  });
  it.each([2, 0])('fails with %i instead of 3, however it was counted', (count) => {
    expect(counted(count, 'admin_peers').verdict).toBe('fail');
    expect(counted(count, 'net_peerCount').verdict).toBe('fail');
  });
  it('fails when the node does not answer', () => {
    expect(judgePeers(aView(nodeTarget('a'), down())).verdict).toBe('fail');
  });
});

describe('http', () => {
  it('passes with a word on what the answer said besides', () => {
    const facts = {
      service: {
        observation: { ok: true, value: { note: 'it has had no new block for 60s, or none since its start' } },
      },
    } as const;
    expect(asRead(judgeHttp(aView(serviceTarget('stats'), facts)))).toMatchObject({
      verdict: 'pass',
      reason: expect.stringContaining('no new block'),
    });
  });
  it('is unknown while a service that does not answer has time to start, but not in a loop', () => {
    const fault = { kind: 'refused', address: 'http://x:1' } as const;
    const judge = (startedMs: number, more: Partial<ContainerFacts> = {}) =>
      asRead(
        judgeHttp(
          aView(
            serviceTarget('relayer'),
            {
              service: { observation: { ok: false, fault } },
              container: { ...runningSince(NOW - startedMs), ...more },
            },
            { now: NOW },
          ),
        ),
      );
    expect(judge(19_999)).toEqual({
      verdict: 'unknown',
      reason: 'the relayer was started 19s ago and does not answer as it should yet',
    });
    const late = { verdict: 'fail', reason: expect.stringMatching(/^the relayer is unhealthy: nothing listens at/) };
    expect(judge(20_000)).toEqual(late);
    const crashes = { lastRestartBy: 'policy', lastRestartAt: NOW - 1_000, earlierCrashes: [NOW - 9_000] } as const;
    expect(judge(1_000, crashes)).toEqual(late);
    const { observation } = runningSince(NOW - 1_000);
    const container = observation?.kind === 'found' ? observation.container : undefined;
    if (container === undefined) throw new Error('there is one');
    const stopped = { observation: { kind: 'found', container: { ...container, running: false } } } as const;
    expect(judge(1_000, stopped)).toEqual(late);
  });
  it('fails with the fault', () => {
    const facts = { service: { observation: { ok: false, fault: { kind: 'redirect', status: 302 } } } } as const;
    expect(asRead(judgeHttp(aView(serviceTarget('frontend'), facts)))).toMatchObject({
      verdict: 'fail',
      reason: expect.stringContaining('302'),
    });
  });
});

describe('a fault', () => {
  const address = 'http://127.0.0.1:8545';
  const faults: readonly Fault[] = [
    ...(['refused', 'unresolved', 'unreachable', 'closed', 'tls', 'not-http'] as const).map((kind) => ({
      kind,
      address,
    })),
    { kind: 'timeout', address, afterMs: 5000, received: true },
    { kind: 'timeout', address, afterMs: 5000, received: false },
    { kind: 'unreachable', address, afterMs: 5000 },
    { kind: 'too-large', maxBytes: 1_048_576 },
    { kind: 'encoding' },
    { kind: 'no-descriptor' },
    ...(['html', 'cut', 'empty', 'other'] as const).map((looksLike) => ({ kind: 'not-json', looksLike }) as const),
    ...[301, 302].map((status) => ({ kind: 'redirect', status }) as const),
    ...[401, 403, 404, 415, 429, 500, 502, 503].map((status) => ({ kind: 'status', status }) as const),
    { kind: 'envelope', what: 'it is not a list' },
    ...(['method-not-found', 'crashed', 'not-started', 'other'] as const).map(
      (known) => ({ kind: 'rpc-error', code: -32000, known }) as const,
    ),
    { kind: 'result', what: 'the block has no number' },
    { kind: 'no-committed' },
    { kind: 'result-error' },
    { kind: 'body', what: 'it is no JSON object' },
    ...(['missing', 'denied', 'stale', 'no-socket', 'too-long'] as const).map(
      (state) => ({ kind: 'socket', path: '/srv/XDC.ipc', state }) as const,
    ),
    ...(['docker', 'forbidden', 'no-container', 'not-running', 'no-program', 'no-attach'] as const).map(
      (why) => ({ kind: 'exec', why }) as const,
    ),
    ...(['still-running', 'timeout', 'too-large', 'no-sense'] as const).map((why) => ({ kind: 'exec', why }) as const),
  ];
  const target = nodeTarget('a', {
    rpc: 'http://me:hunter2@127.0.0.1:8545',
    container: { project: 'generated', service: 'subnet1' },
  });
  const findings = faults.map((fault) => explainFault(fault, target, 'XDPoS'));

  it.each(findings)('$seen: the fix says what to do, and begins with it', ({ fix }) => {
    expect(fix).toMatch(/^(?:add|check|correct|fix|let|move|raise|read|restart|run|see|set|start|wait|write)\b/);
  });

  it('says nothing of the other nodes where only this one knows no committed block', () => {
    expect(explainFault({ kind: 'no-committed' }, nodeTarget('a')).fix).toBe(
      'wait a minute after its start; if other nodes commit blocks then, restart it when that is safe, and read the log of the node a',
    );
  });

  it('is explained in words of its own, with no user info in them', () => {
    const texts = findings.map(formatReason);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) {
      expect(text.length).toBeGreaterThan(20);
      expect(text).not.toMatch(/hunter2|undefined|\n/);
      // A console is that of a page; `checks.console` is a setting.
      expect(text).not.toMatch(/(?<!checks\.)\bconsole\b/);
    }
  });
});

describe('what a node of Nethermind says of its health', () => {
  const DEAD = { of: 'blocks', seen: 'it has stopped processing blocks', fix: 'restart it' } as const;
  const LONELY = { of: 'peers', seen: 'it is connected to no peer', fix: 'check its bootnode' } as const;
  const view = (agoMs: number, chainAgoMs = 0) => {
    const known = at(40, { chain: { health: [DEAD, LONELY], syncing: false, missing: {} } });
    return aView(
      nodeTarget('a'),
      { node: { ...known.node, chain: { ...known.node.chain, at: NOW + agoMs - chainAgoMs } as ChainFacts } },
      { now: NOW + agoMs },
    );
  };

  it('is why its block does not rise', () =>
    expect(asRead(judgeLatestBlock(view(90_000)))).toEqual({
      verdict: 'fail',
      reason:
        'the block 40 of a has not risen for 1m 30s (limit 1m), and its own /health says that it has stopped processing blocks and that it is connected to no peer; restart it; check its bootnode; read the log of the node a',
    }));
  it('is nothing while the block rises', () => expect(judgeLatestBlock(view(1_000)).verdict).toBe('pass'));
  it('is forgotten after some minutes', () =>
    expect(asRead(judgeLatestBlock(view(200_000, 180_000))).reason).not.toContain('/health'));
  it('counts for its peers only where nobody else can count them', () => {
    expect(asRead(judgePeers(view(0)))).toEqual({
      verdict: 'fail',
      reason: 'a says that it is connected to no peer; check its bootnode',
    });
    const counted = at(40, {
      peers: { ok: true, value: { count: 3, via: 'admin_peers' } },
      chain: { health: [LONELY], syncing: false, missing: {} },
    });
    expect(judgePeers(aView(nodeTarget('a'), counted, { now: NOW })).verdict).toBe('pass');
  });
});
