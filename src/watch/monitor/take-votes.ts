import { isCredible } from '../../model/chain.ts';
import type { FoundVotes } from '../../model/double-vote.ts';
import type { Facts } from '../../model/facts.ts';
import type { Observation } from '../../model/prober.ts';
import type { Target } from '../../model/target.ts';
import type { Diagnosis } from '../diagnosis/diagnose-subnet.ts';
import type { createLagBook } from './create-lag-book.ts';
import type { createVoteBook } from './create-vote-book.ts';

/** What is remembered of the votes in a subnet. */
interface VoteBooks {
  readonly voteBook: ReturnType<typeof createVoteBook>;
  readonly lagBook: ReturnType<typeof createLagBook>;
  readonly diagnosis: Pick<Diagnosis, 'reference'>;
}

/** An observation without the votes of a pool, and the double votes that they show, or that lines of a log prove. */
export function takeVotes(
  { voteBook: book, lagBook, diagnosis: { reference } }: VoteBooks,
  { name }: Target,
  observation: Observation,
  { logs }: Facts,
  now: number,
): { readonly seen: Observation; readonly found: readonly FoundVotes[] } {
  if (observation.kind === 'logs') {
    const { proofs = [], imported } = observation.seen.node ?? {};
    const { proofs: known = [], imported: before } = logs?.node ?? {};
    if (imported !== undefined && imported !== before) lagBook.addImport(name, imported, observation.seen.clockAheadMs);
    const fresh = proofs === known ? [] : proofs.filter((one) => !known.includes(one));
    const found = fresh.map(({ signer, votes: [one, other], at }): FoundVotes => {
      const votes = [
        { ...one, seenBy: name },
        { ...other, seenBy: name },
      ] as const;
      return { signer, votes, source: 'log', at };
    });
    return { seen: observation, found };
  }
  const { chain } = observation.kind === 'node' ? observation.seen : {};
  if (observation.kind !== 'node' || chain?.pool?.votes === undefined) return { seen: observation, found: [] };
  const { votes, ...pool } = chain.pool;
  const { latest } = observation.seen;
  const seen = { kind: 'node', seen: { ...observation.seen, chain: { ...chain, pool } } } as const;
  // A pool holds no signatures: who makes up a height may make up the votes for it.
  if (latest.ok && !isCredible(latest.value.number, reference)) return { seen, found: [] };
  if (chain.masternodes) lagBook.addPool(votes, chain.masternodes.active, chain.address, now);
  return { seen, found: book.add({ node: name, genesis: chain.genesis, votes }, now) };
}
