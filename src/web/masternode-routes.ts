import type { Context } from 'hono';
import type { Masternode, Snapshot, SubnetState, Vote } from '../model/snapshot.ts';
import type { Upgrade } from '../model/upgrade.ts';
import { sendPacked } from './send-packed.ts';

/** One masternode in `/masternodes.json`. What is not known is left out. */
interface MasternodeStatus extends Omit<Masternode, 'vote'> {
  readonly status: Vote;
  readonly penalised: boolean;
  readonly standby: boolean;
}

/** `/masternodes.json`: what is not known of an epoch is left out, and so is an epoch whose masternodes are not known. */
export interface MasternodesStatus {
  readonly subnets: readonly {
    readonly name: string;
    readonly epoch?: number;
    readonly firstBlock?: number;
    readonly choiceBlock?: number;
    readonly nextFirstBlock?: number;
    readonly isNextAtLatest?: true;
    readonly isNextKnown?: boolean;
    readonly block?: number;
    readonly round?: number;
    readonly upgrade?: Upgrade;
    readonly masternodes: readonly MasternodeStatus[];
  }[];
}

const toMasternode = ({ address, name, vote, ...counts }: Masternode): MasternodeStatus => ({
  address,
  name,
  status: vote,
  penalised: vote === 'penalised',
  standby: vote === 'standby',
  ...counts,
});

function toSubnet({ subnet: { name }, epoch }: SubnetState): MasternodesStatus['subnets'][number] {
  if (epoch === undefined) return { name, masternodes: [] };
  const { number, masternodes, ...place } = epoch;
  return { name, epoch: number, ...place, masternodes: masternodes.map(toMasternode) };
}

/** The masternodes of a snapshot in the shape of `/masternodes.json`. */
export const toMasternodesStatus = (snapshot: Snapshot): MasternodesStatus => ({ subnets: snapshot.map(toSubnet) });

/** `/masternodes.json`, of one subnet where the request names it. */
export const answerMasternodes =
  (read: () => MasternodesStatus) =>
  async (c: Context): Promise<Response> => {
    const only = c.req.query('subnet');
    const { subnets } = read();
    const shown = only === undefined ? subnets : subnets.filter(({ name }) => name === only);
    if (only !== undefined && shown.length === 0) return c.text('the inventory has no such subnet\n', 404);
    return sendPacked(c, JSON.stringify({ subnets: shown }), 'application/json');
  };
