import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Fault } from '../../../src/model/observation.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { createNodeProber } from '../../../src/watch/probes/node-prober.ts';
import { createParentClient } from '../../../src/watch/probes/parent-client.ts';
import { addressOf, diagnosedNode, type Given, NOW, SUBNET } from '../../support/diagnosed.ts';
import { answerCall, type Methods, type ReceivedCall, startHttp } from '../../support/fake-node.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const TIMEOUT: Fault = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false };
const REFUSED: Fault = { kind: 'refused', address: 'http://n' };

type Respond = (response: ServerResponse, body: string) => unknown;

const status =
  (code: number, body = '', headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    response.writeHead(code, headers).end(body);

const KEYLESS: Methods = {
  XDPoS_getV2BlockByNumber: () => ({ error: { code: -32600, message: 'Must be authenticated!' } }),
};
const LIMITED: Methods = { XDPoS_getV2BlockByNumber: () => ({ error: { code: -32005, message: 'limited' } }) };

function answer(methods: Methods, body: string): unknown {
  const calls: ReceivedCall | readonly ReceivedCall[] = JSON.parse(body);
  return 'method' in calls ? answerCall(methods, calls) : calls.map((call) => answerCall(methods, call));
}

async function urlOf(respond: Respond): Promise<string> {
  const server = await startHttp((_request, response, body) => void respond(response, body));
  onTestFinished(server.stop);
  return server.url;
}

/** A node without a container and a log, so that nothing but its RPC is known. */
const bare = ({ target: { container: _, ...target }, facts: { node } }: KnownTarget): KnownTarget =>
  ({ target, facts: { node } }) as KnownTarget;

/** One that has never answered since subnetd started. */
function neverSeen(name: string, fault: Fault, names = NAMES): KnownTarget {
  const { target } = bare(diagnosedNode(name, names));
  return {
    target,
    facts: { node: { observation: { answered: false, latest: { ok: false, fault }, peers: { ok: false, fault } } } },
  } as KnownTarget;
}

const nodeOf = (name: string, given: Given = {}): KnownTarget => bare(diagnosedNode(name, NAMES, given));

function diagnose(targets: readonly KnownTarget[], now = NOW, before = NO_PROBLEMS) {
  const subnet = {
    ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
    targets: targets.map(({ target }) => target),
  };
  return diagnoseSubnet(subnet, judgeTargets(targets, now), before, now);
}

const namesOf = (targets: readonly KnownTarget[]): readonly string[] =>
  diagnose(targets).problems.flatMap(({ problem, name, severity }) =>
    severity === 'info' ? [] : [name === undefined ? problem : `${problem} ${name}`],
  );

const UNSEEN = 'subnetd cannot see n2';
const DEAF = 'n2 does not answer';

describe('what answers in the place of a node has its own reason and fix', () => {
  test.each<[string, Respond, string, string, string]>([
    [
      ...([
        'a login',
        status(401),
        UNSEEN,
        'it answered HTTP 401: it wants a user name and a password, or a key',
      ] as const),
      'correct its address in the inventory, with the key of its provider or as http://USER:PASSWORD@…; a node may have them in basicAuth instead',
    ],
    [
      ...([
        'a challenge',
        status(403, '<html>Just a moment'),
        UNSEEN,
        'it answered HTTP 403: it forbids the request',
      ] as const),
      'let the address of subnetd through at the proxy or firewall before it, or correct the address in the inventory',
    ],
    [
      'another host name',
      status(403, 'invalid host specified\n'),
      UNSEEN,
      'it answered HTTP 403: it refuses the host name of the request',
      'start the node with --rpcvhosts "*", or use its IP address in the inventory',
    ],
    [
      ...(['another path', status(404), UNSEEN, 'it answered HTTP 404: nothing is at this path'] as const),
      'correct the path of the address in the inventory',
    ],
    [
      ...(['https', status(400, 'The plain HTTP request was sent to HTTPS port'), UNSEEN] as const),
      'it answered HTTP 400: it does not understand the request',
      'correct the address in the inventory: it may have to begin with https, or name another port',
    ],
    [
      'another service',
      status(415),
      UNSEEN,
      'it answered HTTP 415: it refuses the content type application/json',
      'correct the address in the inventory, because what answers there is not a node',
    ],
    [
      ...(['a limit', status(429), UNSEEN, 'it answered HTTP 429: it takes no more requests for now'] as const),
      'let the proxy or the provider in front of it accept more requests from subnetd, or raise the interval of the check',
    ],
    [
      ...(['a redirect', status(301, '', { location: '/' }), UNSEEN, 'it redirects elsewhere (HTTP 301)'] as const),
      'write the final address into the inventory',
    ],
    [
      'gzip',
      status(200, 'x', { 'content-encoding': 'gzip' }),
      UNSEEN,
      'its answer is compressed although that was not requested',
      'fix the proxy in front of it',
    ],
    [
      ...(['a web page', status(200, '<html>'), UNSEEN, 'it answered with a web page instead of JSON-RPC'] as const),
      'correct the address in the inventory, or look at the page: it may be that of a proxy',
    ],
    [
      ...(['a bad gateway', status(502), DEAF, 'it answered HTTP 502: the proxy before it does not reach it'] as const),
      'start the program behind the proxy',
    ],
    [
      'a busy server',
      status(503),
      DEAF,
      'it answered HTTP 503: it is overloaded or gave up on the call after its own time limit',
      'check its load and memory, and whether it runs if a proxy stands before it',
    ],
    [
      ...(['Cloudflare', status(522), DEAF, 'it answered HTTP 522: the proxy before it does not reach it'] as const),
      'start the program behind the proxy',
    ],
    [
      'a status of none that is watched',
      status(421),
      UNSEEN,
      'it answered HTTP 421: what should be there never answers that',
      'correct the address in the inventory, or what stands before it',
    ],
    [
      'a provider without its key',
      (response, body) => response.end(JSON.stringify(answer(KEYLESS, body))),
      'n2 does not return its latest block',
      'it answered with the JSON-RPC error -32600: it wants a user name and a password, or a key',
      'correct its address in the inventory, with the key of its provider or as http://USER:PASSWORD@…; a node may have them in basicAuth instead',
    ],
    [...(['a fault of the server', status(500), DEAF, 'it answered HTTP 500', 'read the log of the node n2'] as const)],
    [
      'a limit inside a good answer',
      (response, body) => response.end(JSON.stringify(answer(LIMITED, body))),
      'n2 does not return its latest block',
      'it answered with the JSON-RPC error -32005: it takes no more requests for now',
      'let the proxy or the provider in front of it accept more requests from subnetd, or raise the interval of the check',
    ],
  ])('%s', async (_what, respond, summary, seen, fix) => {
    const prober = createNodeProber(await urlOf(respond), 'XDPoS', Date.now);
    onTestFinished(prober.close);
    const observation = await prober.probe(2_000);
    const { target, facts } = nodeOf('n2');
    const one = { target, facts: { node: { ...facts.node, observation } } } as KnownTarget;
    const { problems, quorum } = diagnose([nodeOf('n1'), one, nodeOf('n3'), nodeOf('n4')]);
    expect(problems.filter(({ name }) => name === 'n2')).toMatchObject([
      { summary, evidence: `n2 did not return its latest block: ${seen}`, fix },
    ]);
    // A page, a login or a limit says nothing of the node behind it.
    expect(quorum?.voting).toBe(summary === DEAF ? 3 : 4);
  });

  test('a host name that cannot be resolved', () => {
    const fault: Fault = { kind: 'unresolved', address: 'http://n2' };
    expect(diagnose([nodeOf('n1'), nodeOf('n2', { fault }), nodeOf('n3'), nodeOf('n4')]).problems.at(-1)).toMatchObject(
      {
        summary: DEAF,
        evidence: 'n2 did not return its latest block: the host name of http://n2 cannot be resolved',
        fix: 'correct it in the inventory or the name server',
      },
    );
  });

  test('a file of its sign-in that cannot be used says nothing of the node', () => {
    const fault: Fault = { kind: 'file', setting: 'tls.ca', path: '/etc/ca.pem', why: 'cannot be read (EACCES)' };
    const { problems, quorum } = diagnose([nodeOf('n1'), nodeOf('n2', { fault }), nodeOf('n3'), nodeOf('n4')]);
    expect(problems).toMatchObject([
      {
        summary: UNSEEN,
        evidence:
          'n2 did not return its latest block: tls.ca in the inventory names /etc/ca.pem, which cannot be read (EACCES)',
        fix: 'correct its path, its mode or its content',
      },
    ]);
    expect(quorum?.voting).toBe(4);
  });

  test('nothing at all is a node that may not run', () => {
    expect(
      diagnose([nodeOf('n1'), nodeOf('n2', { fault: REFUSED }), nodeOf('n3'), nodeOf('n4')]).problems.at(-1),
    ).toMatchObject({
      summary: DEAF,
      evidence: 'n2 did not return its latest block: nothing listens at http://n',
      fix: 'see that n2 runs and that its RPC port is reachable from here, and read the log of the node n2',
    });
  });
});

const LOGIN: Fault = { kind: 'status', status: 401 };
const FORBIDDEN: Fault = { kind: 'status', status: 403 };

describe('while blocks come', () => {
  const others = (given: Given = {}) => [nodeOf('n1', given), nodeOf('n3', given)];

  test('two nodes of four that give a login and no answer cannot be seen, and nothing is said of votes', () => {
    const targets = [...others(), neverSeen('n2', LOGIN), neverSeen('n4', TIMEOUT)];
    const { problems, quorum } = diagnose(targets);
    expect(quorum).toMatchObject({ total: 4, voting: 4 });
    expect(problems.map(({ summary, evidence, fix }) => [summary, evidence, fix])).toEqual([
      [
        'subnetd cannot see n2',
        'n2 did not return its latest block: it answered HTTP 401: it wants a user name and a password, or a key',
        'correct its address in the inventory, with the key of its provider or as http://USER:PASSWORD@…; a node may have them in basicAuth instead',
      ],
      [
        'subnetd cannot reach the RPC of n4, which runs',
        'n4 did not return its latest block: http://n did not answer within 5s; its masternode misses no turn',
        'see whether a firewall between here and n4 drops packets; if not, its RPC hangs although it runs, and a restart helps: ask `subnetd safe-to-restart n4` first',
      ],
    ]);
  });

  test('a node that has never answered is not said to run by turns from before it was asked, and its vote is in doubt', () => {
    const targets = [...others(), nodeOf('n2'), neverSeen('n4', TIMEOUT)];
    const subnet = { ...SUBNET, targets: targets.map(({ target }) => target) };
    const told = (askedMs: number) => {
      // The turns were counted half a minute ago.
      const since = NOW - 30_000 - askedMs;
      const states = judgeTargets(targets, NOW).map((one) => ({
        ...one,
        checks: one.checks.map((check) => ({ ...check, since })),
      }));
      const { problems, headline } = diagnoseSubnet(subnet, states, NO_PROBLEMS, NOW);
      return [headline?.detail, ...problems.flatMap(({ summary, evidence, fix }) => [summary, evidence, fix])];
    };
    expect(told(35_999)).toEqual([
      'Suspected: subnetd cannot reach the RPC of n4. By their last answers, 3 or 4 of 4 masternodes can vote, 3 needed.',
      'subnetd cannot reach the RPC of n4',
      'n4 did not return its latest block: http://n did not answer within 5s; whether its masternode has missed a turn since then is not known yet',
      'check whether it hangs, and read the log of the node n4',
    ]);
    expect(told(36_000).slice(0, 3)).toEqual([
      'Suspected: subnetd cannot reach the RPC of n4, which runs. By their last answers, 4 of 4 masternodes can vote, 3 needed.',
      'subnetd cannot reach the RPC of n4, which runs',
      'n4 did not return its latest block: http://n did not answer within 5s; its masternode misses no turn',
    ]);
  });

  test('a node whose last two turns are missed does not take part, and one that missed some before, as in a restart, does', () => {
    const withMissed = (round: number) => {
      const rounds = [{ round, miner: addressOf('n4') }];
      const chain = { missedRounds: { epochBlock: 0, epochRound: 0, rounds, byMiner: { [addressOf('n4')]: 1 } } };
      return namesOf([...others({ chain }), nodeOf('n2', { chain }), neverSeen('n4', TIMEOUT)]);
    };
    expect(withMissed(1_998)).toEqual(['quorum_at_risk', 'node_down n4']);
    expect(withMissed(1_992)).toEqual(['quorum_at_risk', 'node_down n4']);
    expect(withMissed(1_991)).toEqual(['rpc_closed n4']);
  });

  test('a node that was silent when it was asked, and turns out to vote, is not said to lack peers before it is asked again', () => {
    const withMissed = (round: number) => {
      const rounds = [{ round, miner: addressOf('n4') }];
      const chain = { missedRounds: { epochBlock: 0, epochRound: 0, rounds, byMiner: { [addressOf('n4')]: 1 } } };
      return [...others({ chain }), nodeOf('n2', { chain }), neverSeen('n4', TIMEOUT)];
    };
    const { problems } = diagnose(withMissed(1_991), NOW, diagnose(withMissed(1_998)));
    expect(problems.filter(({ state }) => state !== 'clearing').map(({ problem }) => problem)).toEqual([]);
  });

  test('the turns of a masternode show nothing until each has had two of them, or where it has just become silent', () => {
    const sinceRound = (epochRound: number) => {
      const young = { chain: { missedRounds: { epochBlock: 0, epochRound, rounds: [], byMiner: {} } } };
      return namesOf([...others(young), nodeOf('n2', young), neverSeen('n4', TIMEOUT)]);
    };
    expect(sinceRound(1_993)).toContain('quorum_at_risk');
    expect(sinceRound(1_992)).not.toContain('quorum_at_risk');
    expect(namesOf([...others(), nodeOf('n2'), nodeOf('n4', { fault: TIMEOUT })])).toContain('quorum_at_risk');
    const silentAt = (height: number) => namesOf([...others(), nodeOf('n2'), nodeOf('n4', { fault: TIMEOUT, height })]);
    expect(silentAt(993)).toContain('quorum_at_risk');
    expect(silentAt(992)).not.toContain('quorum_at_risk');
  });

  test('too few votes are not said any more once blocks came after the last node had become silent', () => {
    const chain = { masternodes: undefined, missedRounds: undefined };
    const silent = (name: string, ms: number): KnownTarget => {
      const one = nodeOf(name, { fault: REFUSED, chain });
      const { node } = one.facts;
      const latest = node?.latest && { ...node.latest, lastGoodAt: NOW - ms };
      return { ...one, facts: { node: node && { ...node, latest } } } as KnownTarget;
    };
    const risk = (ms: number) => namesOf([...others({ chain }), silent('n2', ms), silent('n4', 90_000)]);
    expect(risk(21_900)).toEqual(['quorum_at_risk', 'node_down n2', 'node_down n4']);
    expect(risk(22_000)).toEqual(['node_down n2', 'node_down n4']);
  });
});

test('in a halt a node that does not answer counts as out, whatever turns it took before', () => {
  const given = { stalledMs: 120_000 };
  const targets = [
    nodeOf('n1', given),
    nodeOf('n3', given),
    nodeOf('n2', { fault: REFUSED }),
    neverSeen('n4', TIMEOUT),
  ];
  expect(diagnose(targets).problems[0]).toMatchObject({
    problem: 'subnet_halted',
    fix: 'bring back n2, n4: 1 more must vote; restart no other node; for n2: see that n2 runs and that its RPC port is reachable from here, and read the log of the node n2; for n4: check whether it hangs, and read the log of the node n4',
  });
});

test('nodes that all forbid the request cannot be seen, miss no peers for one another, and nothing is known of votes', () => {
  const { problems, quorum, headline } = diagnose(NAMES.map((name) => neverSeen(name, FORBIDDEN)));
  expect(problems.map(({ summary, explains }) => [summary, explains.map(({ name }) => name)])).toEqual(
    NAMES.map((name) => [`subnetd cannot see ${name}`, [name, name]]),
  );
  expect(quorum).toBeUndefined();
  expect(headline?.detail).not.toContain('vote');
});

test('the peers that a node behind a login did not tell are not missing because of others', () => {
  const targets = [...['n1', 'n2', 'n3'].map((name) => neverSeen(name, REFUSED)), neverSeen('n4', LOGIN)];
  const explaining = diagnose(targets).problems.filter(({ explains }) =>
    explains.some(({ name, check }) => name === 'n4' && check === 'peers'),
  );
  expect(explaining.map(({ summary }) => summary)).toEqual(['subnetd cannot see n4']);
});

describe('nothing of a subnet has answered since the start', () => {
  const summary = 'subnetd has not reached any node yet';

  test('its addresses are to be checked: one node of a chain of four that is refused says nothing of the others', () => {
    const { problems, quorum, headline } = diagnose([neverSeen('n1', REFUSED)]);
    expect(problems).toMatchObject([
      {
        problem: 'never_reached',
        summary,
        evidence:
          'its node has not answered since subnetd started; n1 did not return its latest block: nothing listens at http://n',
        fix: 'check the addresses under rpc in the inventory; if they are right, begin with n1: start it if it does not run, or correct the address in the inventory, and read the log of the node n1',
      },
    ]);
    expect(quorum).toBeUndefined();
    expect(headline).toMatchObject({ standing: 'off', sentence: 'devnet has not been reached yet' });
  });

  test.each([REFUSED, TIMEOUT, { kind: 'unresolved', address: 'http://n' }] satisfies Fault[])(
    'nor is it a halt',
    (fault) => {
      expect(namesOf(NAMES.map((name) => neverSeen(name, fault)))).toEqual(['never_reached']);
    },
  );

  test('each node says for itself what answers at its address, and what to do about that', () => {
    const targets = [neverSeen('n1', REFUSED), neverSeen('n2', { kind: 'status', status: 502 })];
    const said = explainTargets(judgeTargets(targets, NOW), diagnose(targets).problems).flatMap(({ checks }) =>
      checks.flatMap((check) => (check.check === 'latest_block' ? [formatReason(check)] : [])),
    );
    expect(said).toEqual([
      'n1 did not return its latest block: nothing listens at http://n; start it if it does not run, or correct the address in the inventory, and read the log of the node n1',
      'n2 did not return its latest block: it answered HTTP 502: the proxy before it does not reach it; start the program behind the proxy',
    ]);
  });

  test('nor is that said before each node was asked once: the next may answer', () => {
    const [first, ...others] = NAMES.map((name) => neverSeen(name, REFUSED));
    const unasked = others.map(({ target }): KnownTarget => ({ target, facts: {} }));
    const { problems, headline } = diagnose([first as KnownTarget, ...unasked]);
    expect(problems.map(({ problem, name, state }) => [problem, name, state])).toEqual([
      ['node_down', 'n1', 'suspected'],
    ]);
    expect(headline).toMatchObject({
      standing: 'off',
      sentence: 'devnet has not been fully checked yet',
      detail: 'Suspected: n1 does not answer.',
    });
    // One that has no address is never asked.
    const silent = others.map(({ target: { rpc: _, ...target } }: KnownTarget & { target: { rpc?: string } }) => ({
      ...{ target, facts: {} },
    }));
    expect(namesOf([first as KnownTarget, ...(silent as unknown as readonly KnownTarget[])])).toEqual([
      'never_reached',
    ]);
  });

  test('a node that has answered before was reached', () => {
    const others = ['n2', 'n3', 'n4'].map((name) => neverSeen(name, REFUSED));
    expect(namesOf([nodeOf('n1', { fault: REFUSED }), ...others])).not.toContain('never_reached');
  });

  /** Nodes that have never answered, whose logs showed a block so long ago. */
  const printing = (agoMs: number) =>
    NAMES.map((name) => {
      const { facts, ...one } = neverSeen(name, REFUSED);
      const node = { height: 1_000, advancedAt: NOW - agoMs };
      const sources = { container: { up: true, lines: 9, since: NOW - 60_000 } };
      return { ...one, facts: { ...facts, logs: { sources, patterns: {}, node } } } as KnownTarget;
    });

  test('nor are the addresses right where the logs go on: one finding names them, and none says that a node answers', () => {
    expect(diagnose(printing(1_000)).problems).toMatchObject([
      {
        problem: 'never_reached',
        summary,
        evidence:
          'none of its 4 nodes has answered since subnetd started, while the log of n1, n2, n3, n4 goes on; n1 did not return its latest block: nothing listens at http://n',
        fix: 'check the addresses under rpc in the inventory; starting a node does not help',
      },
    ]);
  });

  test('logs that have stopped are a halt', () => {
    expect(namesOf(printing(90_000))).toContain('subnet_halted');
  });
});

test.each<[string, Respond, string, string | undefined]>([
  [
    'a login',
    status(401),
    'answers HTTP 401',
    'correct its address in the inventory, with the key of its provider or as http://USER:PASSWORD@…; a node may have them in basicAuth instead',
  ],
  ['a redirect', status(302), 'answers HTTP 302', 'write the final address into the inventory'],
  [
    'a web page',
    status(200, '<html>'),
    'answers with a web page',
    'correct the address in the inventory, or look at the page: it may be that of a proxy',
  ],
  ['gzip', status(200, 'x', { 'content-encoding': 'gzip' }), 'compresses its answer', 'fix the proxy in front of it'],
  [
    'a limit',
    status(429),
    'answers HTTP 429',
    'let the proxy or the provider in front of it accept more requests from subnetd, or raise the interval of the check',
  ],
  ['a fault of the server', status(500), 'answers HTTP 500', 'see what answers at its address, or name another node'],
  ['no connection', (response) => response.destroy(), 'cannot be reached', undefined],
])('%s of the parent chain has its own reason and fix', async (_what, respond, why, fix) => {
  const client = createParentClient(await urlOf(respond), 2_000);
  onTestFinished(client.close);
  const [answer] = await client.ask([{ method: 'eth_chainId', params: [] }]);
  expect(answer).toEqual({ ok: false, why, ...(fix && { fix }) });
});

test('a subnet without nodes is neither out of reach nor halted', () => {
  expect(namesOf([])).toEqual([]);
});
