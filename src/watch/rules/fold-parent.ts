import type { Checkpoint, CheckpointProgress, ParentFacts, ParentObservation } from '../../model/parent-chain.ts';
import type { WalletFacts } from '../../model/wallet-spend.ts';
import { foldWallet } from './fold-wallet.ts';

/** For as long, what was read of the contract is remembered: its pace is judged over this time. */
const RECENT_MS = 300_000;

function foldCheckpoint(
  before: CheckpointProgress | undefined,
  checkpoint: Checkpoint,
  at: number,
): CheckpointProgress {
  const { number } = checkpoint.committed;
  const known = before?.checkpoint.committed.number;
  const rises = known !== undefined && number > known;
  // A contract that falls was replaced, or its chain was reorganised: its pace begins again.
  const recent = known !== undefined && number >= known ? (before?.recent ?? []) : [];
  return {
    checkpoint,
    readAt: at,
    advancedAt: before === undefined || rises ? at : before.advancedAt,
    hasAdvanced: rises || before?.hasAdvanced === true,
    recent: [...recent.filter((one) => at - one.at < RECENT_MS), { at, number }],
  };
}

function foldUnanswered({ head }: ParentObservation, before: ParentFacts | undefined, at: number) {
  if (head.ok) return undefined;
  const { since = at, probes = 0 } = before?.unanswered ?? {};
  return { since, probes: probes + 1 };
}

/** What was read of contract and wallet, unless another chain answered: those of that chain are others. */
function readOwn({ balance, chainId, contract }: ParentObservation, firstChainId: number | undefined) {
  if (chainId?.ok && chainId.value !== firstChainId) return {};
  return {
    balance: balance?.ok ? balance.value : undefined,
    checkpoint: contract?.ok && contract.value.kind === 'checkpoint' ? contract.value.checkpoint : undefined,
  };
}

function foldBalance(before: WalletFacts | undefined, balance: bigint | undefined, at: number) {
  return balance === undefined ? before : foldWallet(before, balance, at);
}

/** Adds what a probe of the parent chain saw at a watched time, which is `wallMs` in Unix milliseconds. */
export function foldParent(
  before: ParentFacts | undefined,
  observation: ParentObservation,
  { at, wallMs }: { readonly at: number; readonly wallMs: number },
): ParentFacts {
  const { head, chainId } = observation;
  const unanswered = foldUnanswered(observation, before, at);
  const firstChainId = before?.firstChainId ?? (chainId?.ok ? chainId.value : undefined);
  const { balance, checkpoint } = readOwn(observation, firstChainId);
  const progress = checkpoint === undefined ? before?.progress : foldCheckpoint(before?.progress, checkpoint, at);
  const wallet = foldBalance(before?.wallet, balance, at);
  return {
    observation,
    at,
    ...(unanswered && { unanswered }),
    ...(head.ok && { headAgeMs: wallMs - head.value.timestamp * 1000 }),
    ...(firstChainId !== undefined && { firstChainId }),
    ...(progress && { progress }),
    ...(wallet && { wallet }),
  };
}
