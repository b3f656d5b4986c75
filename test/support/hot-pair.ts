import { expect } from 'vitest';
import { eventually } from './cli.ts';
import { type FleetStage, nameAlert } from './fleet-stage.ts';

/** Both instances of a hot pair have this shard, which is all of the fleet. */
export const SHARD = { index: 0, total: 1 };
export const BEGINS_WITHIN_MS = 90_000;
/** A problem is over when it was not found for two minutes. */
export const ENDS_WITHIN_MS = 220_000;

/** Whether an instance decides for both. */
export const holdsLock = async (stage: FleetStage, instance: string): Promise<boolean> =>
  (await (await stage.ask(instance, '/metrics')).text()).includes('subnetd_lock_held{lock="shard-0"} 1');

const toMessages =
  (status: string) =>
  (...subnets: readonly string[]): readonly string[] =>
    subnets.map((subnet) => `${status} SubnetHalted ${subnet}: The subnet ${subnet} is halted.`);
export const firing = toMessages('firing');
export const resolved = toMessages('resolved');

/** What Alertmanager notified people of halted subnets, sorted. */
export const readHalts = ({ webhook }: FleetStage): readonly string[] =>
  webhook.messages
    .flatMap(({ status, alerts }) =>
      alerts.map(({ labels, annotations }) => `${status} ${nameAlert(labels)}: ${annotations.summary}`),
    )
    .filter((one) => one.includes('Halted'))
    .toSorted();

/** The ends of the alert of a halted subnet that an instance has sent: of one that fires each is later than the one before. */
export const sentEnds = ({ sent }: FleetStage, instance: string, subnet: string): readonly (string | undefined)[] =>
  sent.received
    .flatMap(({ alerts }) => alerts)
    .filter(({ labels, generatorURL = '' }) => {
      const isOf = nameAlert(labels) === `SubnetHalted ${subnet}`;
      return isOf && URL.parse(generatorURL)?.hostname === `${instance}.test`;
    })
    .map(({ endsAt }) => endsAt);

/** Waits until an instance has sent the alert of a halted subnet once more. */
export async function sendsAgain(stage: FleetStage, instance: string, subnet: string): Promise<void> {
  const { length } = sentEnds(stage, instance, subnet);
  await eventually(() => expect(sentEnds(stage, instance, subnet).length).toBeGreaterThan(length), BEGINS_WITHIN_MS);
}
