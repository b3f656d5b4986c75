import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/cli.ts';
import { type FleetStage, nameAlert, observeStage, readSent, startFleetStage } from '../support/fleet-stage.ts';

vi.setConfig({ testTimeout: 240_000 });
const BEGINS_WITHIN_MS = 90_000;
/** A problem is over when it was not found for two minutes, and people hear of it half a minute later. */
const ENDS_WITHIN_MS = 220_000;

const SHARD = { index: 0, total: 1 };
const ALERT = 'SubnetHalted net0';
const STANDING = 'SubnetHalted net1';

let stage: FleetStage;
let observed: ReturnType<typeof observeStage>;
beforeAll(async () => {
  stage = await startFleetStage(2);
  observed = observeStage(stage);
  await Promise.all(['a', 'b'].map((instance) => stage.start(instance, SHARD)));
});
afterAll(async () => {
  await observed?.stop();
  await stage?.stop();
});

const holds = async (instance: string) =>
  (await (await stage.ask(instance, '/metrics')).text()).includes('subnetd_lock_held{lock="shard-0"} 1');
/** The one of both that holds the lock of the shard, and the other. */
const findKeeper = () =>
  eventually(async () => {
    const [a, b] = [await holds('a'), await holds('b')];
    expect([a, b].filter(Boolean)).toHaveLength(1);
    return a ? { keeper: 'a', standby: 'b' } : { keeper: 'b', standby: 'a' };
  });

interface Post {
  readonly id: string;
  readonly thread: string;
  readonly instance: string;
  readonly alerts: readonly Readonly<Record<string, string>>[];
}
const posts = () => stage.channel.requests.map(({ text }) => JSON.parse(text) as Post);
/** What people read in the channel. The standby may have seen the problem itself by its end, or only have what the other one had stored. */
const read = () =>
  posts()
    .flatMap(({ alerts }) =>
      alerts.map(({ status, alert, subnet, summary, evidence }) => {
        const text = evidence
          ?.replace(/block after \d+ for [\dhms ]+;/, 'block after # for #;')
          .replace(/^seen at [-\d]+ [:\d]+ UTC(, before subnetd was started)?: /, 'seen at #: ');
        return `${status} ${alert} ${subnet}: ${summary}; ${text}`;
      }),
    )
    .toSorted();
/** What Alertmanager notified of. */
const messages = () =>
  stage.webhook.messages
    .flatMap(({ status, alerts }) => alerts.map(({ labels }) => `${status} ${nameAlert(labels)}`))
    .filter((one) => one.includes('Halted'))
    .toSorted();

const SUMMARY = 'the subnet is halted';
const EVIDENCE = 'no block after # for #; 4 of 4 masternodes can vote, 3 needed';
const begun = [`firing ${ALERT}`, `firing ${STANDING}`];
const readBegun = begun.map((one) => `${one}: ${SUMMARY}; ${EVIDENCE}`);

describe('two instances of one shard', () => {
  it('send the same alerts, and one of them notifies a channel when a problem begins', async () => {
    const { keeper } = await findKeeper();
    for (const name of stage.subnets.names) stage.subnets.set(name, 'stalled');
    await eventually(() => expect(read()).toEqual(readBegun), BEGINS_WITHIN_MS);
    expect(posts().map(({ instance }) => instance)).toEqual([keeper, keeper]);
    for (const name of [ALERT, STANDING]) {
      await eventually(() => expect(readSent(stage, name).by).toEqual(new Set(['a', 'b'])));
      const { labels, texts } = readSent(stage, name);
      expect([labels.size, texts.size], name).toEqual([1, 1]);
    }
    expect(messages()).toEqual(begun);
  });

  it('go on within 15 s when the one that notifies is killed, and notify once when the problem ends', async () => {
    const { keeper, standby } = await findKeeper();
    const before = new Map([...observed.alerts].map(([name, { starts }]) => [name, [...starts].at(-1)]));
    stage.subnets.set('net0', 'well');
    const killedAt = performance.now();
    await stage.end(keeper, 'SIGKILL');
    await eventually(async () => expect(await holds(standby)).toBe(true));
    expect(performance.now() - killedAt).toBeLessThan(15_000);
    await stage.start(keeper, SHARD);

    const ended = [...begun, `resolved ${ALERT}`];
    await eventually(() => expect(messages()).toEqual(ended), ENDS_WITHIN_MS);
    await eventually(
      () => expect(read()).toEqual([...readBegun, `resolved ${ALERT}: ${SUMMARY}; seen at #: ${EVIDENCE}`]),
      ENDS_WITHIN_MS,
    );
    const [first] = posts().filter(({ alerts }) => alerts[0]?.subnet === 'net0');
    const last = posts().at(-1);
    expect([last?.instance, last?.thread]).toEqual([standby, first?.id]);
    const shown = (await stage.alertmanager.alerts()).filter(({ labels }) => labels.alertname === 'SubnetHalted');
    expect(shown.map(({ labels, startsAt }) => [nameAlert(labels), startsAt])).toEqual([
      [STANDING, before.get(STANDING)],
    ]);
    expect(observed.alerts.get(STANDING)?.isMissing).toBe(false);
  });
});
