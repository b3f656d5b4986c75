import { expect, test } from 'vitest';
import type { Problem } from '../../../../src/model/problem.ts';
import { type ProblemName, problemCatalog } from '../../../../src/model/problem-catalog.ts';
import { createJudge } from '../../../../src/tell/alerts/create-judge.ts';
import type { TrackedAlerts } from '../../../../src/tell/alerts/tracked-alert.ts';
import { groupAlerts } from '../../../../src/tell/notify/channels/create-channels.ts';
import { PLAIN, writeAlerts, writeTitle } from '../../../../src/tell/notify/channels/message-words.ts';
import { afterMessage, noteEnds, planMessage } from '../../../../src/tell/notify/channels/plan-message.ts';
import { type Message, toMessage } from '../../../../src/tell/notify/channels/to-message.ts';
import type { NotifiedGroup } from '../../../../src/tell/notify/notified-alert.ts';
import { foldAlerts } from '../../../../src/tell/notify/tracked-alerts.ts';
import { settings } from '../../../support/views.ts';

const problem = (name: ProblemName, summary: string, fix: string, more: Partial<Problem> = {}): Problem => ({
  ...{ problem: name, ...problemCatalog[name], summary, fix, evidence: `${summary} since 7s ago`, state: 'open' },
  ...{ since: 0, seenAt: 0, explains: [], causes: [] },
  ...more,
});

/** What a subnet is like from a second on; null while subnetd does not run. */
type Step = readonly [second: number, problems: readonly Problem[] | null, voting?: number];

/** The titles of the messages that a channel gets about a subnet of four masternodes, each with its second. */
function listMessages(until: number, steps: readonly Step[], write: (message: Message) => string = writeTitle) {
  const judge = createJudge({});
  const place = { channel: 'ops', group: 'd', thread: 't' };
  let tracked: TrackedAlerts = new Map();
  let told: NotifiedGroup | undefined;
  const messages: string[] = [];
  for (let second = 0; second <= until; second += 5) {
    const now = second * 1_000;
    const [, problems = [], voting = 4] = steps.findLast(([from]) => from <= second) ?? [];
    if (problems === null) continue;
    const input = {
      snapshot: [
        {
          subnet: { name: 'd', consensus: 'XDPoS', targets: [], settings },
          ...{ targets: [], problems, quorum: { total: 4, required: 3, voting } },
        },
      ],
      ...{ now, instance: 'i', isDatabaseUp: true, lastReloadSuccessful: true, enginesUp: new Map() },
      ...{ intervalMs: () => 10_000, lateRounds: () => 0, internalErrors: () => 0, notSent: () => 0 },
    };
    tracked = foldAlerts(tracked, judge(input, tracked), now).trackedAlerts;
    const { firing, endOf } = groupAlerts(tracked, now);
    const own = firing.get('d') ?? new Map();
    told &&= noteEnds(told, own, endOf);
    const planned = planMessage(own, told, undefined, now);
    if (planned === undefined) continue;
    const message = toMessage(planned, told, { ...place, instance: 'i', now });
    messages.push(write === writeTitle ? `${second} ${write(message)}` : write(message));
    told = afterMessage(planned, told, { ...place, now });
  }
  return messages;
}

test('the end of a risk is not told once the subnet is about to halt, and not before the halt is over', () => {
  const risk = problem('quorum_at_risk', 'no further node may fail', 'bring back n4');
  const causes = [{ problem: 'quorum_at_risk' }] as const;
  const halt = problem('subnet_halted', 'the subnet is halted', 'bring back n1 and n2', { causes });
  const steps = (voting: number): readonly Step[] => [
    [0, [risk], 3],
    [100, []],
    [110, [], voting],
    [125, [halt], voting],
    [300, [{ ...halt, state: 'clearing', clearingSince: 300_000 }]],
    [420, []],
  ];
  expect(listMessages(600, steps(0))).toEqual([
    '5 CRITICAL d: no further node may fail',
    '130 CRITICAL d: the subnet is halted',
    '360 RESOLVED d: no further node may fail, 1 still fires',
    '435 RESOLVED d: the subnet is halted',
  ]);
  // While a vote is to spare, it is over.
  expect(listMessages(600, steps(4))[1]).toBe('115 RESOLVED d: no further node may fail');
});

test('a cause that is new is told within a minute, one that was told before is not, and the end says what it was last', () => {
  const parent = (summary: string) => problem('parent_unreachable', summary, `repair ${summary}`);
  const [refused, limited, down] = ['the key is refused', 'too many requests', 'it is down'].map(parent);
  if (!refused || !limited || !down) throw new Error('there are three');
  const messages = listMessages(400, [
    [0, [refused]],
    [20, [limited]],
    [70, [down]],
    [140, [refused]],
    [200, [limited]],
    [300, []],
  ]);
  expect(messages).toEqual([
    '5 CRITICAL d: the key is refused',
    '65 CRITICAL d: now too many requests',
    '125 CRITICAL d: now it is down',
    '315 RESOLVED d: too many requests',
  ]);
});

test('a halt does not send the words of then of what it hides', () => {
  const forecast = problem('next_epoch_at_risk', 'n4 has no turns in epoch 2', 'bring n4 back');
  const halt = problem('subnet_halted', 'the subnet is halted', 'bring back n2', {
    causes: [{ problem: 'next_epoch_at_risk' }],
  });
  const steps: readonly Step[] = [
    [0, [forecast]],
    [100, [halt]],
  ];
  const texts = listMessages(200, steps, (message) => message.alerts.map(({ summary }) => summary).join(', '));
  expect(texts).toEqual(['n4 has no turns in epoch 2', 'the subnet is halted']);
});

test('an alert that goes on has the words of the problem that takes its place, also before that is confirmed', () => {
  const of = { component: 'node', name: 'n4' } as const;
  const once = problem('container_restarting', 'n4 has ended once', 'read its log', {
    ...{ ...of, evidence: 'it restarted 35s ago (13:24:28 UTC)' },
  });
  const loop = problem('silent_restart_loop', 'n4 ends again and again', 'read its last lines', {
    ...{ ...of, evidence: 'it restarted just now (13:25:10 UTC), 2 restarts', state: 'suspected' },
  });
  const steps: readonly Step[] = [
    [0, [once]],
    [10, [loop]],
    [30, [{ ...loop, state: 'open' }]],
  ];
  const write = ({ alerts }: Message) => alerts.map(({ summary, evidence }) => `${summary}: ${evidence}`).join();
  expect(listMessages(30, steps, write)).toEqual([
    'n4 ends again and again: it restarted just now (13:25:10 UTC), 2 restarts',
  ]);
});

test('a halt after a block, and a risk of other nodes, are told although the one before is not over', () => {
  const halt = (about: string, more: Partial<Problem> = {}) =>
    problem('subnet_halted', 'the subnet is halted', 'bring back n2', {
      about,
      evidence: `none after ${about}`,
      ...more,
    });
  const risk = (about: string, more: Partial<Problem> = {}) =>
    problem('quorum_at_risk', 'no further node may fail', `bring back ${about}`, { about, evidence: about, ...more });
  const clearing = { state: 'clearing', seenAt: 37_000 } as const;
  const next = { state: 'suspected', isNext: true } as const;
  const steps = (one: Problem, cleared: Problem, ...others: readonly Problem[]): readonly Step[] => [
    [0, [one]],
    [40, [cleared]],
    ...others.map((other, index): Step => [60 + index * 20, other.isNext ? [cleared, other] : [other]]),
  ];
  const write = ({ alerts }: Message) =>
    alerts
      .map(({ status, isNew, evidence, startsAt, endsAt }) => {
        const word = status === 'resolved' ? 'over' : isNew ? 'new' : 'old';
        return `${word} ${evidence} ${startsAt.slice(14, 19)}${endsAt === undefined ? '' : `-${endsAt.slice(14, 19)}`}`;
      })
      .join();
  expect(listMessages(90, steps(halt('263'), halt('263', clearing), halt('272')), write)).toEqual([
    'new none after 263 00:00',
    'new none after 272 01:00,over seen at 1970-01-01 00:00:05 UTC: none after 263 00:00-00:37',
  ]);
  expect(
    listMessages(120, steps(risk('n1'), risk('n1', clearing), risk('n2', next), risk('n2'), risk('n2, n3')), write),
  ).toEqual(['new n1 00:00', 'new n2 01:20,over seen at 1970-01-01 00:00:05 UTC: n1 00:00-00:37']);
  // While the other one is only suspected, what fires is told as what it was.
  const wallet = problem('wallet_without_funds', 'the wallet is empty', 'send it coins', { evidence: 'no coins' });
  const suspected = risk('n2', { state: 'suspected' });
  expect(listMessages(70, [...steps(risk('n1'), risk('n1', clearing)), [60, [suspected, wallet]]], write).at(-1)).toBe(
    'new no coins 01:00,old seen at 1970-01-01 00:00:37 UTC: n1 00:00',
  );
});

test('each of two halts within 90 s is told with its own begin, and has one end', () => {
  const halt = (about: string, clearing?: { readonly seenAt: number }) =>
    problem('subnet_halted', 'the subnet is halted', 'bring back n2', {
      about,
      evidence: `none after ${about}`,
      ...(clearing && { state: 'clearing', ...clearing }),
    });
  const write = ({ alerts }: Message) =>
    alerts.map(({ status, startsAt, endsAt = '' }) => `${status} ${startsAt.slice(14, 19)} ${endsAt.slice(14, 19)}`);
  const messages = listMessages(
    400,
    [
      [0, [halt('705')]],
      [20, [halt('705', { seenAt: 18_000 })]],
      [85, [halt('717')]],
      [100, [halt('717', { seenAt: 98_000 })]],
      [220, []],
    ],
    (message) => write(message).join(),
  );
  expect(messages).toEqual(['firing 00:00 ', 'firing 01:25 ,resolved 00:00 00:18', 'resolved 01:25 01:38']);
});

test('a risk that begins anew after a halt is told in time and with its own begin, though of the same node', () => {
  const risk = (state: Problem['state'] = 'open') =>
    problem('quorum_at_risk', 'no further node may fail', 'bring back n4', {
      about: 'n4',
      evidence: 'without n4',
      state,
    });
  const halt = problem('subnet_halted', 'the subnet is halted', 'bring back n1', {
    ...{ about: '315', evidence: 'none after 315', causes: [{ problem: 'quorum_at_risk' }] },
  });
  const clearing = { ...halt, state: 'clearing', clearingSince: 100_000 } as const;
  const votes = (evidence: string) => problem('double_vote', evidence, `stop ${evidence}`, { evidence });
  const messages = listMessages(
    260,
    [
      [0, [risk(), votes('n4')], 3],
      [75, [halt, votes('n4')], 2],
      [100, [clearing, votes('n4')]],
      [115, [clearing, votes('n1')]],
      [180, [clearing, risk('suspected'), votes('n1')], 3],
      [210, [risk(), votes('n1')], 3],
    ],
    ({ alerts, sentAt }) =>
      [
        sentAt.slice(14, 19),
        ...alerts.map(({ status, evidence, startsAt }) => {
          const seen = evidence.replace(/^seen at .* UTC/, 'seen at then');
          return `${status} ${seen} ${startsAt.slice(14, 19)}`;
        }),
      ].join(', '),
  );
  expect(messages).toEqual([
    '00:05, firing without n4 00:00, firing n4 00:00',
    '01:20, firing none after 315 01:15, firing n4 00:00',
    '02:20, firing n1 00:00, firing seen at then: none after 315 01:15',
    '03:35, firing without n4 03:30, resolved seen at then: without n4 00:00, resolved seen at then: none after 315 01:15, firing n1 00:00',
  ]);
});

test('what is clearing, and what is over, is told with the time at which it was seen', () => {
  const halt = problem('subnet_halted', 'the subnet is halted', 'bring back n2', { evidence: 'no block for 34s' });
  const wallet = problem('wallet_without_funds', 'the wallet is empty', 'send it coins', {
    ...{ component: 'relayer', name: 'relayer', evidence: 'it has 0.003 coins' },
  });
  const clearing = { ...halt, state: 'clearing', seenAt: 18_000 } as const;
  const texts = listMessages(
    300,
    [
      [0, [halt]],
      [20, [clearing]],
      [60, [clearing, wallet]],
      [120, [{ ...wallet, evidence: 'it has 0.001 coins' }]],
      [200, []],
    ],
    ({ alerts }) => alerts.map(({ status, evidence }) => `${status} ${evidence}`).join(', '),
  );
  expect(texts).toEqual([
    'firing no block for 34s',
    'firing it has 0.003 coins, firing seen at 1970-01-01 00:00:18 UTC: no block for 34s',
    'resolved seen at 1970-01-01 00:00:18 UTC: no block for 34s, firing it has 0.001 coins',
    'resolved seen at 1970-01-01 00:03:15 UTC: it has 0.001 coins',
  ]);
});

/** The alerts of a message in words: what each says is wrong, when it was, and what to do. */
const writeWords = ({ alerts }: Message) =>
  alerts.map(({ status, summary, startsAt, endsAt, fix }) => {
    const times = [startsAt, endsAt].flatMap((at) => at?.slice(14, 19) ?? []).join('-');
    return `${status} ${summary} ${times}${fix === undefined ? '' : `: ${fix}`}`;
  });

test('the end of a risk has its own last words, not those of what was only suspected later', () => {
  const risk = (summary: string, state: Problem['state'] = 'open') =>
    problem('quorum_at_risk', summary, 'bring back n4', { about: 'n4', state });
  const halt = problem('subnet_halted', 'the subnet is halted', 'bring back n1', {
    ...{ about: '315', causes: [{ problem: 'quorum_at_risk' }] },
  });
  const clearing = { ...halt, state: 'clearing', seenAt: 98_000, clearingSince: 100_000 } as const;
  const messages = listMessages(
    300,
    [
      [0, [risk('no further node may fail')]],
      [20, [risk('too few nodes vote')]],
      [40, [halt], 2],
      [100, [clearing]],
      [110, [clearing, risk('there is no spare vote', 'suspected')], 3],
      [120, [clearing, risk('too few can vote', 'suspected')], 3],
      [130, [clearing]],
      [220, []],
    ],
    (message) => writeWords(message).join('; '),
  );
  expect(messages).toEqual([
    'firing no further node may fail 00:00: bring back n4',
    'firing the subnet is halted 00:40: bring back n1',
    'resolved too few nodes vote 00:00-02:10; firing the subnet is halted 00:40: bring back n1',
    'resolved the subnet is halted 00:40-01:38',
  ]);
});

test('a risk that began after the one before was over is told as a new one, with its own begin', () => {
  const risk = (summary: string, fix: string, more: Partial<Problem>) =>
    problem('quorum_at_risk', summary, fix, { about: 'n4', ...more });
  const halt = (about: string, more: Partial<Problem> = {}) =>
    problem('subnet_halted', 'the subnet is halted', 'bring back n1', {
      ...{ about, causes: [{ problem: 'quorum_at_risk' }] },
      ...more,
    });
  const isOver = { state: 'clearing', seenAt: 98_000, clearingSince: 100_000 } as const;
  const tell = (until: number, steps: readonly Step[]) =>
    listMessages(until, steps, (message) => writeWords(message).join('; '));
  const short = risk('too few nodes vote', 'bring back n2', { about: 'n2, n4' });
  const next = risk('no further node may fail', 'bring back n4', { since: 112_000 });
  // A halt hides the first, and has not been clearing for long when the second is found.
  const steps: readonly Step[] = [
    [0, [short], 2],
    [20, [halt('315')], 2],
    [100, [halt('315', isOver)]],
    [115, [halt('315', isOver), { ...next, state: 'suspected' }], 3],
    [135, [halt('315', isOver), next], 3],
  ];
  const begun = [
    'firing too few nodes vote 00:00: bring back n2',
    'firing the subnet is halted 00:20: bring back n1',
    'firing no further node may fail 02:15: bring back n4; resolved too few nodes vote 00:00-01:40; firing the subnet is halted 00:20: bring back n1',
  ];
  expect(tell(145, steps)).toEqual(begun);
  // As subnetd is started again meanwhile.
  expect(tell(150, [...steps.slice(0, 3), [110, null], [125, [halt('315', isOver), next], 3]])).toEqual(
    begun.map((one) => one.replace('02:15', '02:05')),
  );
  // What has lasted since before the halt goes on.
  const same = { ...next, since: 0 };
  expect(
    tell(145, [...steps.slice(0, 2), [100, [halt('315', isOver)], 3], [135, [halt('315', isOver), same], 3]]),
  ).toEqual(begun.slice(0, 2));

  // The next one begins while the first is clearing, and a halt of its own hides it.
  const clearing = risk('no further node may fail', '', { state: 'clearing', seenAt: 28_000 });
  const other = { ...short, state: 'suspected', since: 60_000 } as const;
  expect(
    tell(400, [
      [0, [risk('no further node may fail', 'bring back n4', {})], 3],
      [30, [clearing]],
      [60, [other], 0],
      [80, [halt('316')], 0],
      [200, [halt('316', { ...isOver, seenAt: 198_000, clearingSince: 200_000 })]],
      [300, []],
    ]),
  ).toEqual([
    'firing no further node may fail 00:00: bring back n4',
    'firing the subnet is halted 01:20: bring back n1',
    'resolved no further node may fail 00:00-00:28; firing the subnet is halted 01:20: bring back n1',
    'resolved the subnet is halted 01:20-03:18',
  ]);
});

test('the end of what something graver hid has the words that it had meanwhile', () => {
  const down = (summary: string) =>
    problem('node_down', summary, 'start n4', { component: 'node', name: 'n4', about: 'n4' });
  const risk = problem('quorum_at_risk', 'no further node may fail', 'bring back n4', { about: 'n4' });
  const messages = listMessages(
    200,
    [
      [0, [down('n4 does not answer')]],
      [60, [risk, down('the container of n4 does not run')], 3],
      [120, []],
    ],
    (message) => writeWords(message).join('; '),
  );
  expect(messages.at(-1)).toContain('resolved the container of n4 does not run 00:00-');
});

test('a halt that clears says nothing of what to do once too few can vote for another block', () => {
  const halt = problem('subnet_halted', 'the subnet is halted', 'bring back n2', { about: '315' });
  const clearing = { ...halt, state: 'clearing', seenAt: 18_000, fix: 'restart no other node' } as const;
  const risk = problem('quorum_at_risk', 'too few nodes vote', 'bring back n1 and n2', { about: 'n1, n2' });
  const wallet = problem('wallet_without_funds', 'the wallet is empty', 'send it coins');
  const told = (steps: readonly Step[]) =>
    listMessages(100, [[0, [halt]], [20, [clearing]], ...steps], (message) => writeWords(message).join('; ')).at(-1);
  expect(told([[60, [risk], 2]])).toBe(
    'firing too few nodes vote 01:00: bring back n1 and n2; firing the subnet is halted 00:00',
  );
  expect(told([[60, [clearing, wallet]]])).toBe(
    'firing the wallet is empty 01:00: send it coins; firing the subnet is halted 00:00: restart no other node',
  );
  // What may last says what it said.
  expect(
    listMessages(
      100,
      [
        [0, [halt]],
        [20, [], 2],
        [60, [wallet], 2],
      ],
      (message) => writeWords(message).join('; '),
    ).at(-1),
  ).toContain('firing the subnet is halted 00:00: bring back n2');
});

test('what was seen before subnetd was started is not told as seen now, nor as changed before it is found again', () => {
  const of = { component: 'relayer', name: 'relayer' } as const;
  const wallet = problem('wallet_nearly_empty', 'the wallet runs out', 'send coins to 0xa', of);
  const down = problem('service_down', 'stats is down', 'start it', { component: 'stats', name: 'stats' });
  const found = { ...wallet, fix: 'send coins to 0xb', evidence: 'it has 4 coins' };
  const stored = { ...found, evidence: `seen before subnetd was started: ${found.evidence}`, restoredAt: 200_000 };
  const texts = listMessages(
    700,
    [
      [0, [wallet]],
      [200, [stored]],
      [400, [stored, down]],
      [500, [found, down]],
    ],
    ({ alerts }) => {
      const own = alerts.filter(({ name }) => name === 'relayer');
      return writeAlerts({ alerts: own }, PLAIN, 999)
        .replaceAll(/1970-01-01 | UTC/g, '')
        .replaceAll('\n', ' ');
    },
  );
  const runsOut = 'critical: the wallet runs out';
  expect(texts).toEqual([
    `${runsOut} The wallet runs out since 7s ago. Since 00:00, seen at 00:00:05. To do: send coins to 0xa`,
    `still ${runsOut} Seen before subnetd was started: it has 4 coins. Since 00:00. To do: send coins to 0xb`,
    `now ${runsOut} It has 4 coins. Since 00:00, seen at 00:08:20. To do: send coins to 0xb`,
  ]);
});

test('what was over when subnetd was started again, while a halt covers it, did not end as it began', () => {
  const crash = problem('container_restarting', 'n3 has crashed', 'read its log', { component: 'node', name: 'n3' });
  const halt = problem('subnet_halted', 'the subnet is halted', 'bring back n1 and n2');
  const evidence = 'seen before subnetd was started: n3 restarted once';
  const stored = { ...crash, state: 'clearing', evidence, seenAt: 400_000, restoredAt: 400_000 } as const;
  const ended = (message: Message) =>
    message.alerts.flatMap(({ status, summary, startsAt, endsAt }) =>
      status === 'resolved' ? `${summary} ${startsAt.slice(11, 19)} to ${endsAt?.slice(11, 19)}` : [],
    );
  const steps: readonly Step[] = [
    [0, [crash]],
    [20, null],
    [400, [halt, stored]],
    [500, [halt]],
  ];
  expect(listMessages(600, steps, (message) => ended(message).join())).toContain('n3 has crashed 00:00:00 to 00:06:40');
});

test('a forecast that has come true is told in the message of what lasts, and not once more', () => {
  const forecast = (words: string, fix: string) =>
    problem('next_epoch_at_risk', `n4 ${words} no turns in epoch 2`, fix);
  const penalised = { component: 'node', name: 'n4' } as const;
  expect(
    listMessages(900, [
      [0, [forecast('will have', 'bring n4 back')]],
      [
        300,
        [
          forecast('has', 'keep it running'),
          problem('masternode_penalised', 'n4 is penalised', 'see why it failed', penalised),
        ],
      ],
    ]),
  ).toEqual(['15 WARNING d: n4 will have no turns in epoch 2', '315 WARNING d: n4 is penalised']);
});
