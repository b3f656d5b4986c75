import { describe, expect, it, test } from 'vitest';
import type { Incident, IncidentRecord, Incidents } from '../../../src/model/incident.ts';
import { createReadIncidents } from '../../../src/tell/incidents/create-read-incidents.ts';
import { createTimelineReader } from '../../../src/tell/incidents/timeline.ts';
import { createIncidentPages } from '../../../src/web/pages/create-incident-pages.ts';
import { incidentMarkdown } from '../../../src/web/pages/incident-export.ts';
import { diagnosedNode } from '../../support/diagnosed.ts';
import { NO_INCIDENTS } from '../../support/no-incidents.ts';
import { away } from '../../support/run-incidents.ts';
import { stateOf } from '../../support/snapshots.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 22, 3, 12, 7);
const NOW = START + 60 * MINUTE;

const words = { summary: 'the container of n2 is down', evidence: 'it exited with 137', fix: 'type `docker start n2`' };
const down: Incident = {
  id: '20261122-031207-0a1b2c3d',
  ...{ subnet: 'devnet', problem: 'container_down', component: 'node', name: 'n2', severity: 'warning' },
  ...{ alert: 'SubnetContainerDown', foundAt: START - 20 * SECOND, startedAt: START, returns: 1 },
  ...{ clearSince: START + 573 * SECOND, endedAt: START + 12 * MINUTE, end: 'recovered' },
  ...{ first: words, last: { ...words, since: START - 20 * SECOND } },
  earlier: '20261121-000000-0a1b2c3d',
  causes: [],
  effects: ['20261122-031300-ffffffff'],
  notified: [
    { at: START + 45 * SECOND, to: 'http://am:9093', phase: 'firing' },
    { at: START + 13 * MINUTE, to: 'http://am:9093', phase: 'resolved' },
  ],
};
const { component: _, name: __, clearSince: ___, endedAt: ____, end: _____, earlier: ______, ...ofSubnet } = down;
const halt: Incident = {
  ...ofSubnet,
  id: '20261122-031300-ffffffff',
  ...{ problem: 'subnet_halted', severity: 'critical', alert: 'SubnetHalted', startedAt: START + 53 * SECOND },
  first: { ...words, summary: 'the subnet is halted' },
  ...{ returns: 0, causes: [down.id], effects: [], notified: [] },
};
const info: Incident = { ...down, id: '20261122-020000-11111111', severity: 'info', startedAt: START - 72 * MINUTE };
const record: IncidentRecord = {
  incident: down,
  capsule: {
    at: START + 2 * SECOND,
    quorum: { total: 4, required: 3, voting: 3 },
    targets: [
      {
        ...{ component: 'node', name: 'n2', vote: 'silent', height: 41_066, committed: 41_063, expectedPeers: 3 },
        checks: [{ check: 'latest_block', verdict: 'fail', reason: 'n2 refuses connections', tookMs: 3 }],
        container: { status: 'exited', exitCode: 137, restarts: 2, oomKills: 1, memoryLimitBytes: 2 ** 30 },
        exchanges: [
          {
            ...{ kind: 'node', to: 'POST http://192.0.2.1:8545', at: START, tookMs: 3.4 },
            calls: [
              { asked: 'XDPoS_getV2BlockByNumber["latest"]', answered: 'the connection was refused', isFault: true },
            ],
          },
        ],
      },
      {
        ...{ component: 'node', name: 'n1', vote: 'votes', height: 41_207, peers: 2, expectedPeers: 3 },
        checks: [],
        exchanges: [],
      },
    ],
    omitted: 1,
    logs: [
      { name: 'n2', lines: [{ text: 'panic: ```', at: START }, { text: 'bye' }] },
      { name: 'n1', lines: [], why: 'Docker does not answer' },
    ],
  },
  timeline: {
    changes: [
      {
        ...{ at: START - 19 * SECOND, subnet: 'devnet', component: 'node', name: 'n2', kind: 'container' },
        what: 'c',
        was: 'running',
        is: 'exited',
        reason: 'it has ended with exit code 137',
      },
      {
        ...{ at: START, subnet: 'devnet', component: 'node', name: 'n2', kind: 'problem' },
        what: 'container_down',
        was: 'none',
        is: 'open',
        reason: 'r',
      },
      {
        ...{ at: START + MINUTE, subnet: 'devnet', kind: 'inventory' },
        what: 'inventory',
        was: 'loaded',
        is: 'reloaded',
        reason: 'the inventory was reloaded',
      },
    ],
    minutes: [{ at: Math.floor(START / MINUTE) * MINUTE, blocks: 30 }],
  },
  notes: [{ at: START + 5 * MINUTE, author: 'grace', text: 'started it\n\n# by hand' }],
};

/** The pages over these records. */
async function pagesOf(records: readonly IncidentRecord[], over: Partial<Incidents> = {}) {
  const sources = { history: away, minutesOf: () => [], now: () => NOW };
  const { list } = createReadIncidents({
    ...{
      known: () => records.map(({ incident }) => incident),
      capsuleOf: () => undefined,
      store: away,
      now: () => NOW,
    },
    timelines: createTimelineReader(sources),
  });
  const incidents: Incidents = {
    ...NO_INCIDENTS,
    list: async (query) => ({ ...(await list(query)), isWhole: true }),
    read: async (id) => {
      const found = records.find(({ incident }) => incident.id === id);
      return found && { ...found, isWhole: true };
    },
    isNotifying: () => true,
    ...over,
  };
  const names = ['n1', 'n2'];
  const snapshot = [stateOf(names.map((name) => diagnosedNode(name, names)))];
  return createIncidentPages({
    ...{ incidents, snapshot: () => snapshot, publicUrl: 'https://s.example', startedAt: START },
    footer: () => ({ footer: [] }),
    now: () => NOW,
  });
}
const all = [record, { incident: halt, notes: [] }, { incident: info, notes: [] }];

/** What a person reads, with the markup taken away. */
const wordsOf = (html: unknown): string =>
  String(html)
    .replace(/<(svg|head)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ');

describe('the list of incidents', () => {
  const listOf = async (query: Parameters<Awaited<ReturnType<typeof pagesOf>>['incidents']>[0], records = all) => {
    const listed = await (await pagesOf(records)).incidents(query);
    return 'found' in listed ? listed.found : String(listed.body);
  };
  const shown = (page: string) => [...page.matchAll(/href="\/incidents\/([\w-]+)"/g)].map(([, id]) => id);

  it('has open ones first, then the newest, each with how long it lasted', async () => {
    const page = await listOf({});
    expect(shown(page)).toEqual([halt.id, down.id, info.id]);
    expect(wordsOf(page)).toContain(
      'Incidents, 1 open Subnet all devnet only critical and warning Show State What Subnet Severity Began Lasted ' +
        'open The subnet is halted devnet critical 03:11 1 h ' +
        'ended The container of n2 is down devnet warning 03:11 9 min 53 s',
    );
  });

  it('does not call open what a graver problem covers, nor count on', async () => {
    const covered = { since: halt.startedAt + 27 * SECOND, by: 'the subnet is halted' };
    const { endedAt: _, end: __, clearSince: ___, ...open } = down;
    const page = await listOf({}, [{ incident: { ...open, covered }, notes: [] }]);
    expect(wordsOf(page)).toContain('Began Lasted covered The container of n2 is down devnet warning 03:11 1 min 40 s');
    expect(wordsOf(page)).toMatch(/Incidents Subnet all/);
  });

  it('can be of one subnet, and without what pages nobody', async () => {
    expect(shown(await listOf({ subnet: 'devnet', grave: '1' }))).toEqual([halt.id, down.id]);
    const none = await listOf({ subnet: 'other' });
    expect(wordsOf(none)).toContain('No matching incidents. Show all .');
    expect(shown(await listOf({ subnet: '', name: 'n2' }))).toEqual([down.id, info.id]);
  });

  it('says what would be here as long as there is none', async () => {
    expect(wordsOf(await listOf({}, []))).toContain('No incidents yet. An incident opens when a problem is confirmed.');
  });

  it('leads to the newest incident that the link of an alert asks for', async () => {
    expect(await listOf({ alert: 'SubnetContainerDown', subnet: 'devnet', name: 'n2' })).toBe(down.id);
    expect(await listOf({ problem: 'subnet_halted' })).toBe(halt.id);
    expect(wordsOf(await listOf({ alert: 'SubnetContainerDown', subnet: 'devnet', name: 'n1' }))).toContain(
      'The linked incident does not exist yet, or has expired. Here are the others.',
    );
  });

  it('asks for nothing that a database refuses', async () => {
    const asked: unknown[] = [];
    const pages = await pagesOf([], {
      list: async (query) => {
        asked.push(query.subnet, query.name, query.alert);
        return { incidents: [], isWhole: true };
      },
      read: async (id) => void asked.push(id),
      addNote: async (id) => (asked.push(id) > 0 ? 'added' : 'full'),
    });
    await pages.incidents({ subnet: 'a\0', name: '\0', alert: '\0', before: `${'9'.repeat(15)}__a` });
    for (const id of ['\0', '../x', 'a'.repeat(81), '', "a'b"]) {
      expect(await pages.incident(id, false)).toBeUndefined();
      expect(await pages.exportIncident(id, 'md')).toBeUndefined();
      expect(await pages.addNote(id, { author: 'a', text: 't' })).toBe('unknown');
    }
    expect(asked).toEqual([undefined, undefined, undefined]);
  });

  it('of many has pages', async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      incident: {
        ...down,
        id: `i-${String(index).padStart(3, '0')}`,
        startedAt: START + index,
        ...(index > 60 && { endedAt: undefined }),
      } as Incident,
      notes: [],
    }));
    const seen: (string | undefined)[] = [];
    let query: Record<string, string> | undefined = {};
    for (let page = 0; query !== undefined && page < 9; page += 1) {
      const text: string = await listOf(query, many);
      seen.push(...shown(text));
      const next: string | undefined = /href="\/incidents\?([^"]*before=[^"]*)"/.exec(text)?.[1];
      query = next === undefined ? undefined : Object.fromEntries(new URLSearchParams(next.replaceAll('&amp;', '&')));
    }
    expect(seen.toSorted()).toEqual(many.map(({ incident }) => incident.id));
  });
});

describe('the page of an incident', () => {
  const pageOf = async (id: string, over: Partial<Incidents> = {}, isSignedIn = false) =>
    wordsOf(await (await pagesOf(all, over)).incident(id, isSignedIn));

  it('says how long, why, what ended it and who was notified, and then what changed and what was known', async () => {
    const page = await pageOf(down.id);
    for (const text of [
      'devnet: the container of n2 is down ended warning It exited with 137. It lasted 9 min 53 s and ended because the problem is gone. It came back once in that time.',
      'Began 03:11:47 2026-11-22, confirmed 20 s later Last seen 03:21:40 ended at 03:24:07 Lasted 9 min 53 s came back once First notification 1 min 5 s after it began, at 03:12:52',
      'What changed 03:11:48 n2 container exited: it has ended with exit code 137 03:12:07 n2 the container of n2 is down: it exited with 137 03:12:52 SubnetContainerDown accepted by the Alertmanager http://am:9093 03:13:07 devnet the inventory was reloaded 03:17:07 grace added a note 03:24:07 n2 ended: the problem is gone',
      'n2 silent 41,066 the connection was refused, 3 ms exited 137, 2 restarts, 1 out of memory n1 votes 41,207 2 of 3',
      '1 more targets omitted.',
      'latest_block fail: n2 refuses connections POST http://192.0.2.1:8545 XDPoS_getV2BlockByNumber["latest"] the connection was refused',
      'Log of n2, 2 lines panic: ``` bye The log of n1 was not read: Docker does not answer.',
      'Runbook SubnetContainerDown n2 devnet Led to open The subnet is halted',
      'Resolved: http://am:9093 03:25:07 These receivers accepted SubnetContainerDown. Whom an Alertmanager then notified is not visible here.',
      'grace, 2026-11-22 03:17:07 started it # by hand Your note API key or token with the scope operate Add note',
    ])
      expect(page).toContain(text);
    expect(await pageOf(halt.id)).toContain('Caused by ended The container of n2 is down');
  });

  it('of one that a graver problem covers says since when, and by what, also after its end', async () => {
    const covered = { since: START + 30 * SECOND, by: 'the subnet is halted' };
    const { endedAt, end, clearSince: _, ...open } = down;
    const read = (incident: Incident) => ({ read: async () => ({ incident, notes: [], isWhole: true }) });
    const during = await pageOf(down.id, read({ ...open, covered }));
    expect(during).toContain(
      'covered warning It exited with 137. It lasted 50 s, then became part of another problem (the subnet is halted).',
    );
    expect(during).toContain('Last seen 03:12:37 since then part of another problem Lasted 50 s');
    const after = { ...open, covered, endedAt, end } as Incident;
    expect(await pageOf(down.id, read(after))).toContain(
      'ended warning It exited with 137. It lasted 50 s, then was part of another problem (the subnet is halted), and ended because the problem is gone.',
    );
    const pages = await pagesOf([], read(after));
    expect(JSON.parse((await pages.exportIncident(down.id, 'json')) ?? '').covered).toEqual({
      since: '2026-11-22T03:12:37.000Z',
      by: 'the subnet is halted',
    });
  });

  it('of what happened at one moment says when, and not how long it was reported', async () => {
    const crash = { ...down, problem: 'containers_crashed', about: '1, 2', returns: 0 } as const;
    const only = { incident: crash, notes: [] };
    const page = await pageOf(down.id, { read: async () => ({ ...only, isWhole: true }) });
    expect(page).toContain('ended warning It exited with 137. Began 03:11:47');
    expect(page).not.toContain('asted');
    expect(incidentMarkdown(only, [], NOW)).not.toContain('asted');
    expect(await (await pagesOf([only])).feed(true)).toContain('<summary>It has not happened again since.</summary>');
    const removed = { ...only, incident: { ...crash, end: 'removed' as const } };
    expect(await pageOf(down.id, { read: async () => ({ ...removed, isWhole: true }) })).toContain(
      'It exited with 137. It ended because its subject was removed from the inventory. Began',
    );
  });

  it('names the channel through which people were notified', async () => {
    const notified = [{ at: START, to: 'on-call', phase: 'firing', isChannel: true } as const];
    const other = { ...record, incident: { ...record.incident, notified } };
    const page = await pageOf(down.id, { read: async () => ({ ...other, isWhole: true }) });
    expect(page).toContain('SubnetContainerDown accepted by the channel on-call');
    expect(page).toMatch(/Notified channel on-call \d\d:\d\d:\d\d These receivers accepted SubnetContainerDown/);
  });

  it('of one that is open says that nobody was notified, or who does it', async () => {
    const page = await pageOf(halt.id);
    expect(page).toContain('open critical It exited with 137. It has lasted 1 h so far.');
    expect(page).toContain('No receiver has accepted its alert yet.');
    expect(page).toContain('Nothing was recorded when it began');
    expect(await pageOf(halt.id, { isNotifying: () => false })).toContain(
      'Prometheus sends this alert, and subnetd cannot see to whom.',
    );
    expect(await pageOf(halt.id, {}, true)).not.toContain('API key or token');
    const away = { read: async () => ({ ...record, isWhole: false }) };
    expect(await pageOf(down.id, away)).toContain('The database does not answer, so only what this subnetd process');
  });

  it('shows text from outside as text, in the page, the list, the feed and both exports', async () => {
    const markup = '"><img src=x onerror=alert(1)>\'&`*_</pre>\0\u0007';
    const FIXED = new Set(['id', 'kind', 'severity', 'end', 'phase', 'verdict', 'vote', 'component', 'is', 'problem']);
    const poison = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') return FIXED.has(key) ? value : `${value}${markup}`;
      if (Array.isArray(value)) return ['causes', 'effects'].includes(key) ? value : value.map((one) => poison(one));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poison(one, name)]));
    };
    const poisoned = all.map((one) => poison(one) as IncidentRecord);
    const pages = await pagesOf(poisoned);
    const list = await pages.incidents({});
    const [json, md] = [await pages.exportIncident(down.id, 'json'), await pages.exportIncident(down.id, 'md')];
    for (const text of [
      String(await pages.incident(down.id, false)),
      'body' in list ? String(list.body) : '',
      await pages.feed(false),
      await pages.feed(true),
    ]) {
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(text).not.toMatch(/<img|<\/pre>"/);
      expect(text.match(/<script/g)?.length ?? 0).toBeLessThanOrEqual(2);
    }
    expect(await pages.feed(true)).not.toContain('\u0007');
    expect(JSON.parse(json ?? '').first.summary).toBe(`${words.summary}${markup}`);
    // In Markdown only the fenced lines of logs are as they were.
    expect(md?.replace(/^(`{3,})\n[\s\S]*?\n\1$/gm, '')).not.toMatch(/(?<!\\)<img/);
    expect(md).toContain('````\npanic: ```');
  });
});

test('an incident says who is on it, on its page and in its exports, and asks for it while nobody is', async () => {
  const acknowledged = { by: 'Anna <b>', at: START + MINUTE };
  const { endedAt: _end, end: _how, clearSince: _since, ...open } = down;
  const pagesWith = (more: Partial<IncidentRecord>, incident: Incident = open) =>
    pagesOf([], { read: async () => ({ incident, notes: [], isWhole: true, ...more }) });
  const said = 'Acknowledged Acknowledged by Anna &lt;b&gt; at 03:13:07';
  for (const incident of [open, down])
    expect(wordsOf(await (await pagesWith({ acknowledged }, incident)).incident(down.id, false))).toContain(said);
  const pages = await pagesWith({ acknowledged });
  expect(await pages.exportIncident(down.id, 'md')).toContain(
    '| Acknowledged | Anna \\<b\\>, 2026-11-22 03:13:07 UTC |',
  );
  const json = JSON.parse((await pages.exportIncident(down.id, 'json')) ?? '');
  expect(json.acknowledged).toEqual({ by: 'Anna <b>', at: '2026-11-22T03:13:07.000Z' });

  const asked = String(await (await pagesWith({})).incident(down.id, true));
  expect(wordsOf(asked)).toContain('Acknowledged Nobody yet. I’m on it Notified');
  expect(asked).toContain(`action="/incidents/${down.id}/acknowledge"`);
  expect(wordsOf(await (await pagesWith({})).incident(down.id, false))).toContain(
    'Nobody yet. API key or token with the scope operate I’m on it',
  );
  expect(wordsOf(await (await pagesWith({}, down)).incident(down.id, false))).not.toContain('Acknowledged');
});

test('the link of a message shows the incident and a form with a name, until somebody is on it or it is over', async () => {
  const { endedAt: _end, end: _how, clearSince: _since, ...open } = down;
  const acknowledged = { by: 'Anna', at: START + MINUTE };
  const shownOf = async (incident: Incident, more: Partial<IncidentRecord> = {}) => {
    const pages = await pagesOf([], { read: async () => ({ incident, notes: [], isWhole: true, ...more }) });
    return String(await pages.acknowledgePage(down.id, '/incidents/x/acknowledge?until=1&key=a'));
  };
  const form = await shownOf(open);
  expect(form).toContain('method="post" action="/incidents/x/acknowledge?until=1&amp;key=a"');
  expect(wordsOf(form)).toContain(
    'Acknowledge Your name I’m on it This stops reminders and escalation until the incident ends. Others see your name. Incident',
  );
  expect(wordsOf(await shownOf(open, { acknowledged }))).toContain('Acknowledge Acknowledged by Anna at 03:13:07');
  expect(wordsOf(await shownOf(down))).toContain('Acknowledge The incident is over. There is nothing to acknowledge.');
});

test('an incident that began during planned work says so, on its page and in its exports', async () => {
  const planned = { reason: 'kernel upgrade', until: START + 60 * MINUTE, by: 'ann' };
  const during: IncidentRecord = { ...record, incident: { ...down, planned } };
  const pages = await pagesOf([during]);
  const said = 't began during planned work by ann, until 2026-11-22 04:12 UTC: kernel upgrade';
  const page = await pages.incident(down.id, false);
  expect(wordsOf(page)).toContain(`I${said}. No notifications until that ends.`);
  expect(wordsOf(await (await pagesOf(all)).incident(down.id, false))).not.toContain('planned');
  expect(incidentMarkdown(during, [], NOW)).toContain(`| Planned | i${said} |`);
  const json = JSON.parse((await pages.exportIncident(down.id, 'json')) ?? '');
  expect(json.planned).toEqual({ ...planned, until: '2026-11-22T04:12:07.000Z' });
});

describe('the export of an incident', () => {
  it('as JSON has ISO times, and null for what is not known', async () => {
    const pages = await pagesOf(all);
    expect(JSON.parse((await pages.exportIncident(down.id, 'json')) ?? '')).toMatchObject({
      id: down.id,
      startedAt: '2026-11-22T03:12:07.000Z',
      endedAt: '2026-11-22T03:24:07.000Z',
      last: { summary: words.summary, since: '2026-11-22T03:11:47.000Z', restartAt: null, readAt: null },
      runbook: '/alerts/SubnetContainerDown?subnet=devnet&name=n2',
      notified: [{ at: '2026-11-22T03:12:52.000Z', to: 'http://am:9093', phase: 'firing' }, {}],
      notes: [{ author: 'grace', at: '2026-11-22T03:17:07.000Z' }],
      capsule: {
        at: '2026-11-22T03:12:09.000Z',
        logs: [{ lines: [{ at: '2026-11-22T03:12:07.000Z' }, { at: null }] }, {}],
      },
      timeline: { changes: [{ at: '2026-11-22T03:11:48.000Z' }, {}, {}], minutes: [{ blocks: 30 }] },
    });
    expect(JSON.parse((await pages.exportIncident(halt.id, 'json')) ?? '')).toMatchObject({
      ...{ component: null, name: null, endedAt: null, end: null, earlier: null, planned: null, capsule: null },
      timeline: { changes: [], minutes: [] },
    });
    expect(await pages.exportIncident('nothing', 'json')).toBeUndefined();
  });

  it('as Markdown is where a post-mortem begins', () => {
    const text = incidentMarkdown(record, [halt], NOW);
    for (const part of [
      '# devnet: the container of n2 is down\n\nIt exited with 137. It lasted 9 min 53 s and ended',
      '| Began | 2026-11-22 03:11:47 UTC |\n| Ended | 2026-11-22 03:24:07 UTC |\n| Lasted | 9 min 53 s |',
      `| Led to | devnet: the subnet is halted, ${halt.id} |`,
      '## What to do\n\nType \\`docker start n2\\`.',
      '- 2026-11-22 03:11:48 UTC: **n2** container exited: it has ended with exit code 137\n- 2026-11-22 03:12:07 UTC: **n2** the container',
      '| n2 | fail | silent | 41066 |  | the connection was refused, 3 ms | exited |',
      '### Log of n2\n\n````\npanic: ```\nbye\n````',
      'grace, 2026-11-22 03:17:07 UTC:\n\n> started it\n> \n> \\# by hand',
      '## Why it happened\n\n## What went well\n\n## What to change\n',
    ])
      expect(text).toContain(part);
  });
});

describe('the feed of incidents', () => {
  it('has the start and the end of each, the newest first, with a link', async () => {
    const feed = await (await pagesOf(all)).feed(false);
    expect(feed).toMatch(/^<\?xml version="1.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www.w3.org\/2005\/Atom">/);
    expect(feed).toContain(
      '<updated>2026-11-22T03:21:40.000Z</updated><link rel="self" href="https://s.example/feed.atom"/>',
    );
    expect([...feed.matchAll(/<entry><id>(.*?)<\/id><title>(.*?)</g)].map(([, id, title]) => `${id} ${title}`)).toEqual(
      [
        `urn:subnetd:incident:${down.id}:end Over: devnet: the container of n2 is down`,
        `urn:subnetd:incident:${halt.id}:start devnet: the subnet is halted`,
        `urn:subnetd:incident:${down.id}:start devnet: the container of n2 is down`,
      ],
    );
    expect(feed).toContain(
      `<link rel="alternate" href="https://s.example/incidents/${down.id}"/><summary>It exited with 137.</summary>`,
    );
  });

  it('says of a forecast at its start what was foretold, and at its end what came', async () => {
    const told = { first: { ...down.first, summary: 'n2 will have no turns' } };
    const came = { last: { ...down.last, summary: 'n2 had no turns' } };
    const feed = await (
      await pagesOf([{ incident: { ...down, problem: 'next_epoch_at_risk', ...told, ...came }, notes: [] }])
    ).feed(false);
    expect([...feed.matchAll(/<entry>.*?<title>(.*?)</g)].map(([, title]) => title)).toEqual([
      'Over: devnet: n2 had no turns',
      'devnet: n2 will have no turns',
    ]);
  });

  it('for everybody has names and times, and no reason, address, log, or link to a page', async () => {
    const feed = await (await pagesOf(all)).feed(true);
    expect(feed).toContain(
      '<title>devnet, n2: an incident began</title><updated>2026-11-22T03:12:07.000Z</updated><summary>Its severity is warning.</summary>',
    );
    expect(feed).toContain(
      '<title>devnet, n2: an incident ended</title><updated>2026-11-22T03:21:40.000Z</updated><summary>It lasted 9 min 53 s. It came back once in that time.</summary>',
    );
    expect(feed).not.toMatch(/container|137|docker|halted|192\.0|9093|incidents\/|grace/);
    expect(await (await pagesOf([])).feed(true)).toContain('<updated>2026-11-22T03:12:07.000Z</updated>');
  });
});
