import type { Containers } from './containers.ts';
import type { Effects } from './effects.ts';
import {
  relayerExitLine,
  relayerLine,
  relayerNoFundsLines,
  relayerRefusedLines,
  relayerStartLines,
  relayerSubmittedLines,
  relayerUnreadLines,
} from './log-lines.ts';
import { REFUSAL, RELAY_PERIOD_MS, type SimulatedParent } from './parent-chain.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

/**
 * Prints what the relayer prints up to a time, once in each of its periods, and submits to the parent chain what it says that it
 * submits. It begins at `from`.
 */
export function createRelayerLog(
  { chain, committedAt }: SimulatedSubnet,
  { print }: Containers,
  effects: () => Effects,
  parent: Pick<SimulatedParent, 'submit'>,
  from: number,
): (at: number) => void {
  let relayedAt = Math.floor(from / RELAY_PERIOD_MS);
  let submitted = committedAt(from);
  parent.submit(submitted);
  let relayer: 'running' | 'silent' | 'dead' = 'running';
  return (at) => {
    const { relayer: wanted } = effects();
    const tick = Math.floor(at / RELAY_PERIOD_MS);
    if (wanted === 'dead') {
      if (relayer !== 'dead') print('relayer', [relayerExitLine], at);
      relayer = 'dead';
      return;
    }
    if (relayer === 'dead') {
      print('relayer', relayerStartLines(at), at);
      relayer = 'running';
    }
    if (tick === relayedAt || (wanted === 'silent' && relayer === 'silent')) return;
    relayedAt = tick;
    relayer = wanted === 'silent' ? 'silent' : 'running';
    const toLine = (message: string, level = 30) => relayerLine(at, message, level);
    const lines = [toLine('⏰ Full Relayer: Executing normal flow periodically')];
    const to = committedAt(at);
    if (wanted === 'forking') {
      const [number, hash] = [submitted, chain.hashOf(submitted)];
      lines.push(
        toLine('⛔️ WARNING: Forking detected when subnet is ahead of smart contract', 50),
        toLine(
          `Fail to process full relayer job {\n  message: 'Forking detected! ${number}, mainnetHash: ${chain.hashOf(1)} subnetHash: ${hash}'\n}`,
          50,
        ),
      );
    } else if (wanted === 'no-contract' || wanted === 'no-parent') {
      lines.push(...relayerUnreadLines(at, wanted));
    } else if (wanted === 'no-funds') {
      lines.push(...relayerNoFundsLines(at, submitted + 1));
    } else if (wanted === 'low-gas-price' || wanted === 'refused') {
      const error = wanted === 'refused' ? `execution reverted: ${REFUSAL}` : 'under min gas price';
      lines.push(...relayerRefusedLines(at, submitted + 1, to, error));
    } else if (wanted !== 'silent' && to > submitted) {
      lines.push(...relayerSubmittedLines(at, submitted + 1, to));
      submitted = to;
      parent.submit(to);
    }
    print('relayer', lines, at);
  };
}
