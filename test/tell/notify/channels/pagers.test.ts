import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChannelTarget } from '../../../../src/model/channel.ts';
import type { TrackedAlert } from '../../../../src/tell/alerts/tracked-alert.ts';
import { firingAlert, haltedAlert, resolvedAlert } from '../../../support/alerts-at.ts';
import { createSecrets, runChannels } from '../../../support/channel-run.ts';
import { type HookReceiver, startHookReceiver } from '../../../support/hook-receiver.ts';

/** The schema of an event as PagerDuty publishes it in `reference/events-v2/openapiv3.json`, without its descriptions. */
const text = { type: 'string' } as const;
const EVENT = {
  type: 'object',
  required: ['routing_key', 'event_action'],
  additionalProperties: false,
  properties: {
    routing_key: text,
    event_action: { enum: ['trigger', 'acknowledge', 'resolve'] },
    dedup_key: { ...text, maxLength: 255 },
    client: text,
    client_url: { type: 'string', format: 'url' },
    links: {
      type: 'array',
      items: { type: 'object', required: ['href'], properties: { href: { type: 'string', format: 'url' }, text } },
    },
    payload: {
      type: 'object',
      required: ['summary', 'severity', 'source'],
      additionalProperties: false,
      properties: {
        summary: { ...text, maxLength: 1_024 },
        timestamp: { type: 'string', format: 'date-time' },
        severity: { enum: ['critical', 'warning', 'error', 'info'] },
        ...{ source: text, component: text, group: text, class: text, custom_details: { type: 'object' } },
      },
    },
  },
};

/** What docs.ntfy.sh says of a message that is published as JSON, and of its buttons. */
const PUBLISHED = {
  type: 'object',
  required: ['topic'],
  additionalProperties: false,
  properties: {
    topic: { type: 'string', pattern: '^[-_A-Za-z0-9]{1,64}$' },
    ...{ message: text, title: text },
    tags: { type: 'array', items: text },
    priority: { enum: [1, 2, 3, 4, 5] },
    click: { type: 'string', format: 'url' },
    actions: {
      type: 'array',
      maxItems: 3,
      items: {
        type: 'object',
        required: ['action', 'label', 'url'],
        additionalProperties: false,
        properties: {
          action: { enum: ['view', 'broadcast', 'http', 'copy'] },
          ...{ label: text, url: { type: 'string', format: 'url' }, clear: { type: 'boolean' } },
        },
      },
    },
  },
};

const ajv = addFormats.default(new Ajv.default({ allErrors: true }));
/** What is wrong with a value by its schema. */
const faultsOf = (schema: object, value: unknown) => {
  const validate = ajv.compile(schema);
  validate(value);
  return validate.errors ?? [];
};

let receiver: HookReceiver;
let secrets: ReturnType<typeof createSecrets>;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  receiver = await startHookReceiver();
  secrets = createSecrets();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await receiver.stop();
  secrets.remove();
});
function run(...[target, options]: Parameters<typeof runChannels>) {
  const channels = runChannels(target, options);
  cleanups.push(channels.stop);
  return channels;
}
const bodies = () => receiver.requests.map((request) => JSON.parse(request.text));

describe('PagerDuty', () => {
  const KEY = 'k3y'.padEnd(32, '0');
  const target = (): ChannelTarget => ({
    kind: 'pagerduty',
    keyFile: secrets.write('key', `${KEY}\n`),
    apiUrl: receiver.url,
  });
  const actions = () => bodies().map((one) => `${one.event_action} ${one.dedup_key.split(' ')[1]}`);

  it('gets an event by its schema, with the links, and its end by the same key', async () => {
    const { time, set, ...channels } = run(target());
    const alert = firingAlert('n1', time.clock.now());
    set(alert);
    await channels.run(60);
    set(resolvedAlert(alert, time.clock.now()));
    await channels.run(120);
    const [first, last] = bodies();
    expect(bodies().flatMap((one) => faultsOf(EVENT, one))).toEqual([]);
    expect(first).toEqual({
      routing_key: KEY,
      event_action: 'trigger',
      dedup_key: expect.stringMatching(/^[0-9a-f]{32} SubnetNodeDown$/),
      client: 'subnetd one',
      payload: {
        summary: 'WARNING devnet: n1 is down',
        source: 'devnet',
        severity: 'warning',
        timestamp: '2026-11-21T00:00:00.000Z',
        component: 'node',
        group: 'devnet',
        class: 'SubnetNodeDown',
        custom_details: {
          alerts: [
            'warning: n1 is down',
            'It answers no call. Since 2026-11-21 00:00 UTC, seen at 2026-11-21 00:00:00 UTC.',
            'To do: docker restart n1',
            'runbook: http://subnetd.example/alerts/SubnetNodeDown?subnet=devnet&name=n1',
          ].join('\n'),
        },
      },
      links: [{ href: 'http://subnetd.example/alerts/SubnetNodeDown?subnet=devnet&name=n1', text: 'runbook' }],
    });
    expect(last).toEqual({ routing_key: KEY, event_action: 'resolve', dedup_key: first.dedup_key });
    // Could the schema find a fault?
    expect(faultsOf(EVENT, { ...first, event_action: 'open' })).toHaveLength(1);
  });

  it('has one incident for all nodes that are down, which ends with the last of them', async () => {
    const { time, set, ...channels } = run(target());
    const [one, other] = [firingAlert('n1', time.clock.now()), firingAlert('n2', time.clock.now())];
    set(one, other);
    await channels.run(60);
    expect(bodies().map(({ payload }) => payload.summary)).toEqual(['WARNING devnet: 2 alerts']);
    set(resolvedAlert(one, time.clock.now()), other);
    await channels.run(120);
    expect(actions()).toEqual(['trigger SubnetNodeDown']);
    set(resolvedAlert(other, time.clock.now()));
    await channels.run(120);
    expect(actions()).toEqual(['trigger SubnetNodeDown', 'resolve SubnetNodeDown']);
  });

  it('is not resolved by an end while one of many alerts of the same name still fires', async () => {
    const { time, set, ...channels } = run(target());
    const [one, other] = [firingAlert('n1', time.clock.now()), firingAlert('n2', time.clock.now())];
    const graver = Array.from({ length: 250 }, (_, index): TrackedAlert => {
      const alert = firingAlert(`s${index}`, time.clock.now());
      return { ...alert, labels: { ...alert.labels, alertname: 'SubnetServiceDown', severity: 'critical' } };
    });
    set(...graver, one, other);
    await channels.run(60);
    set(...graver, resolvedAlert(one, time.clock.now()), other);
    await channels.run(120);
    expect(actions()).toEqual(['trigger SubnetServiceDown', 'trigger SubnetNodeDown']);
    set(...graver, resolvedAlert(other, time.clock.now()));
    await channels.run(120);
    expect(actions().slice(2)).toEqual(['resolve SubnetNodeDown']);
  });

  it('is paged anew by a graver alert, which does not end those that it covers', async () => {
    const { time, set, ...channels } = run(target());
    const [one, other] = [firingAlert('n1', time.clock.now()), firingAlert('n2', time.clock.now())];
    set(one, other);
    await channels.run(60);
    set(resolvedAlert(one, time.clock.now()), other, haltedAlert(time.clock.now()));
    await channels.run(120);
    expect(actions()).toEqual(['trigger SubnetNodeDown', 'trigger SubnetHalted']);
  });

  it('is told once that somebody is on everything that an incident is about', async () => {
    const taken = new Set<string | undefined>();
    const { time, set, ...channels } = run(target(), {
      incidents: { acknowledgedBy: ({ name }) => (taken.has(name) ? 'Anna' : undefined) },
    });
    set(firingAlert('n1', time.clock.now()), firingAlert('n2', time.clock.now()));
    await channels.run(60);
    taken.add('n1');
    await channels.run(600);
    expect(actions()).toEqual(['trigger SubnetNodeDown']);
    taken.add('n2');
    await channels.run(600);
    expect(actions()).toEqual(['trigger SubnetNodeDown', 'acknowledge SubnetNodeDown']);
    expect(bodies().flatMap((event) => faultsOf(EVENT, event))).toEqual([]);
  });
});

describe('ntfy', () => {
  const target = (): ChannelTarget => ({
    kind: 'ntfy',
    urlFile: secrets.write('url', `${receiver.url}/t0ken-topic\n`),
    tokenFile: secrets.write('token', 'tk_1\n'),
  });

  it('rings by severity, with buttons, and quietly for an end', async () => {
    const link = 'http://subnetd.example/incidents/1/acknowledge?key=k';
    const { time, set, ...channels } = run(target(), { incidents: { incidentOf: () => ({ id: '1', link }) } });
    const alert = haltedAlert(time.clock.now());
    set({ ...alert, annotations: { incident_url: 'http://subnetd.example/incidents?alert=SubnetHalted' } });
    await channels.run(60);
    set(resolvedAlert(alert, time.clock.now()));
    await channels.run(120);
    expect(receiver.requests[0]?.headers.authorization).toBe('Bearer tk_1');
    expect(bodies().flatMap((one) => faultsOf(PUBLISHED, one))).toEqual([]);
    const [first, last] = bodies();
    expect(first).toEqual({
      topic: 't0ken-topic',
      title: 'CRITICAL devnet: the subnet has halted',
      message: expect.stringContaining('To do: start two nodes'),
      priority: 5,
      tags: ['rotating_light'],
      click: 'http://subnetd.example/incidents?alert=SubnetHalted',
      actions: [
        { action: 'view', label: 'Acknowledge', url: link, clear: true },
        { action: 'view', label: 'Incident', url: first.click, clear: true },
      ],
    });
    expect(last).toMatchObject({ priority: 3, tags: ['white_check_mark'] });
    expect(last.actions.map(({ label }: { label: string }) => label)).not.toContain('Acknowledge');
    expect(faultsOf(PUBLISHED, { ...first, priority: 6 })).toHaveLength(1);
  });
});

describe('escalation', () => {
  const webhook = () => ({ kind: 'webhook', url: receiver.url }) as const;
  const second = () => [{ name: 'boss', target: webhook(), severities: ['warning'], afterMs: 900_000 }] as const;

  it('tells a second channel of what has fired for long, and of its end', async () => {
    const { time, set, ...channels } = run(second());
    const alert = firingAlert('n1', time.clock.now());
    set(alert);
    await channels.run(895);
    expect(bodies()).toEqual([]);
    await channels.run(10);
    expect(bodies().map(({ status }) => status)).toEqual(['firing']);
    set(resolvedAlert(alert, time.clock.now()));
    await channels.run(120);
    expect(bodies().map(({ status }) => status)).toEqual(['firing', 'resolved']);
  });

  it('of what begins anew comes when that has fired for long, with the end of the one before', async () => {
    const { time, set, ...channels } = run(second());
    const before = firingAlert('n1', time.clock.now());
    set(before);
    await channels.run(905);
    set(resolvedAlert(before, time.clock.now()));
    await channels.run(20);
    set(firingAlert('n1', time.clock.now()));
    await channels.run(895);
    expect(bodies()).toHaveLength(1);
    await channels.run(10);
    expect(bodies().map(({ alerts }) => alerts.map(({ status }: { status: string }) => status))).toEqual([
      ['firing'],
      ['resolved', 'firing'],
    ]);
    expect(channels.accepted).toEqual(['boss n1 firing', 'boss n1 resolved', 'boss n1 firing']);
  });

  it('does not happen to what somebody is on, or what has ended before', async () => {
    const { time, set, ...channels } = run(second(), {
      incidents: { acknowledgedBy: ({ name }) => (name === 'n1' ? 'Anna' : undefined) },
    });
    const [one, other] = [firingAlert('n1', time.clock.now()), firingAlert('n2', time.clock.now())];
    set(one, other);
    await channels.run(600);
    set(one, resolvedAlert(other, time.clock.now()));
    await channels.run(7_200);
    expect(bodies()).toEqual([]);
  });

  it('is over when somebody is on it: who was told hears of that, and of no reminder', async () => {
    let by: string | undefined;
    const { time, set, ...channels } = run([{ ...second()[0], repeatMs: 3_600_000 }], {
      incidents: { acknowledgedBy: () => by },
    });
    set(firingAlert('n1', time.clock.now()));
    await channels.run(1_000);
    by = 'Anna';
    await channels.run(3 * 3_600);
    expect(bodies().map(({ kind, alerts }) => [kind, alerts[0].acknowledgedBy])).toEqual([
      ['change', undefined],
      ['acknowledgement', 'Anna'],
    ]);
  });
});
