import { formatDuration } from '../../lib/duration.ts';
import { collect } from '../../lib/values.ts';
import { PACKETS_WITHIN_MS } from '../../model/check-limits.ts';
import { DIRECTIONS, type Direction, listWallets, type PacketFacts, WALLETS, WAYS } from '../../model/relay.ts';
import { commandToRecreate } from '../clients/commands-to-type.ts';
import type { SubnetView } from './subnet-view.ts';
import { type Found, suspect } from './suspect.ts';

/** Packets that do not move are seen twice. */
const STANDS_MS = 110_000;

/** The settings of the key that delivers in each direction, and the mode whose blocks prove its packets. */
const KEYS = {
  to_parent: { role: 'parent_zero', blocks: 'FULL' },
  to_subnet: { role: 'subnet_zero', blocks: 'REVERSE_FULL' },
} as const;

/** Why packets do not arrive, as far as the endpoints, the checkpoint contract, the wallets and the relayer show. */
function findCause(view: SubnetView, direction: Direction, { reading: { route, newestBlock } }: PacketFacts) {
  const { from, to, mode } = WAYS[direction];
  const { role, blocks } = KEYS[direction];
  const { service: relayer, log } = view.relayer;
  const { created } = relayer?.state.facts.logs ?? {};
  const recreate = commandToRecreate(relayer?.state.target.container);
  const register = `register the chain of ${from} anew at the endpoint on ${to} (registerChain)`;
  const { contract } = route ?? {};
  const committed = contract?.kind === 'checkpoint' ? contract.checkpoint.committed.number : undefined;
  const wallet = listWallets(view.subnet.parentChain, view.facts).find((one) => one.role === role);
  const causes: readonly (readonly [applies: boolean | undefined, why: string, fix: string])[] = [
    [route && !route.isRegistered, `the endpoint on ${to} does not know the chain of ${from}`, register],
    [route && !route.isEndpoint, `the endpoint on ${to} takes packets of another endpoint than this one`, register],
    [
      contract && contract.kind !== 'checkpoint',
      `the endpoint on ${to} proves packets by an address that has no checkpoint contract`,
      register,
    ],
    [
      contract?.kind === 'checkpoint' && contract.checkpoint.mode === 'lite',
      'a checkpoint contract in lite mode does not keep what proves a packet',
      `deploy a checkpoint contract in full mode, and ${register}`,
    ],
    [
      route && !route.isContract,
      `the endpoint on ${to} proves packets by another checkpoint contract than that of the inventory`,
      register,
    ],
    [
      log?.modes && !log.modes.includes(mode),
      `the relayer does not run in the mode ${mode.toUpperCase()}`,
      `set ${WALLETS[role].setting} in common.env and ${recreate}`,
    ],
    [
      committed !== undefined && newestBlock !== undefined && committed < newestBlock,
      `the checkpoint contract is at block ${committed}, and the relayer waits for block ${newestBlock}, that of the newest packet`,
      `see in the log of the relayer that its mode ${blocks} submits blocks; while new packets keep coming, it waits for the newest one each time`,
    ],
    [
      direction === 'to_subnet' && created?.isZeroKeyBare,
      'SUBNET_ZERO_WALLET_PK does not begin with 0x, so the relayer pays with SUBNET_WALLET_PK instead',
      `write 0x before the key in common.env and ${recreate}`,
    ],
    [
      wallet?.wallet.balance === 0n,
      `the wallet that delivers them, ${wallet?.address}, has no coins`,
      `send coins to ${wallet?.address} (the key of ${WALLETS[role].setting}) on ${to}`,
    ],
  ];
  const [, why, fix] = causes.find(([applies]) => applies) ?? [];
  return {
    why: why ?? 'the checkpoint contract has the blocks that prove them, as far as is known',
    fix: fix ?? 'read the log of the relayer, which names the error of its last cycle of xdc-zero',
  };
}

function findStuck(view: SubnetView, direction: Direction) {
  const { facts, now } = view;
  const { words, mode } = WAYS[direction];
  const packets = facts.relay?.packets[direction];
  const { waits } = view.relayer.log?.byMode[mode] ?? {};
  const wait = waits && now - waits.since >= PACKETS_WITHIN_MS ? waits : undefined;
  const shown = wait && `its log has shown nothing but "Wait for csc block" for ${formatDuration(now - wait.since)}`;
  if (packets === undefined)
    return (
      wait && {
        direction,
        seen: `the relayer (${mode.toUpperCase()}) has packets ${words}, and ${shown}`,
        why: `the checkpoint contract has been at block ${wait.block} since, and it waits for block ${wait.wanted}`,
        fix: `see in the log of the relayer that its mode ${KEYS[direction].blocks} submits blocks`,
      }
    );
  const { pending, oldestAt = now, movedAt } = packets;
  if (pending === 0 || now - oldestAt < PACKETS_WITHIN_MS || now - movedAt < STANDS_MS) return undefined;
  const many = pending === 1 ? '1 packet' : `${pending} packets`;
  const seen = `${many} ${words} ${pending === 1 ? 'is' : 'are'} pending, the oldest for ${formatDuration(now - oldestAt)}, and none has arrived for ${formatDuration(now - movedAt)}${shown ? `; ${shown}` : ''}`;
  return { direction, seen, ...findCause(view, direction, packets) };
}

/** Packets of XDC-Zero wait and do not move. What keeps the relayer from submitting at all is a problem of its own. */
export function findPacketProblem(view: SubnetView): Found {
  const { submits, subject } = view.relayer;
  if (submits === false) return undefined;
  const stuck = collect(DIRECTIONS, (direction) => findStuck(view, direction));
  const [first] = stuck;
  if (first === undefined) return undefined;
  const isOne = stuck.length === 1;
  return suspect('packets_stuck', {
    ...subject,
    summary: `packets of XDC-Zero do not arrive${isOne ? ` on ${WAYS[first.direction].to}` : ''}`,
    evidence: stuck.map(({ seen, why }) => `${seen}: ${why}`).join('; '),
    fix: isOne ? first.fix : stuck.map(({ direction, fix }) => `${WAYS[direction].words}: ${fix}`).join('; '),
  });
}
