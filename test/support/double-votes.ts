import { type Hex, keccak256, numberToHex, toRlp } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { PoolVotes } from '../../src/model/chain.ts';
import type { SignedVote } from '../../src/model/double-vote.ts';

/** A block hash by a short name. */
export const hashOf = (name: string): Hex => keccak256(Buffer.from(name));

/** A masternode that signs votes as the nodes do. */
export function createSigner() {
  const account = privateKeyToAccount(generatePrivateKey());
  const address = account.address.toLowerCase();
  const sign = async (vote: Required<Omit<SignedVote, 'signature'>>): Promise<Required<SignedVote>> => {
    const [round, number, gap] = [vote.round, vote.number, vote.gap].map((one) =>
      one === 0 ? '0x' : numberToHex(one),
    );
    const hash = keccak256(toRlp([[vote.hash as Hex, round as Hex, number as Hex], gap as Hex]));
    const signed = await account.sign({ hash });
    // Nodes write the recovery id, and not 27 more.
    const signature = `${signed.slice(0, -2)}0${Number(signed.endsWith('1c'))}`;
    return { ...vote, signature };
  };
  return { address, sign };
}

const toJsonVote = ({ round, number, gap, hash, signature }: Required<SignedVote>) => ({
  proposedBlockInfo: { hash, round, number },
  signature: Buffer.from(signature.slice(2), 'hex').toString('base64'),
  gapNumber: gap,
});

/** What a node writes of two votes, as the JSON text in its line. */
export const toVoteContent = (signer: string, less: Required<SignedVote>, more: Required<SignedVote>): string =>
  JSON.stringify({ smallerRoundVote: toJsonVote(less), largerRoundVote: toJsonVote(more), signer });

/** What it writes of two certificates. */
export function toCertificateContent(
  ...sides: readonly (readonly (readonly [string, Required<SignedVote>])[])[]
): string {
  const [smallerRoundInfo, largerRoundInfo] = sides.map((votes) => {
    const [, first] = votes[0] as (typeof votes)[number];
    const { signature: _, ...certificate } = toJsonVote(first);
    const signatures = votes.map(([, vote]) => toJsonVote(vote).signature);
    return {
      hashPath: [],
      quorumCert: { ...certificate, signatures },
      signerAddresses: votes.map(([signer]) => signer),
    };
  });
  return JSON.stringify({
    divergingBlockNumber: 5,
    divergingBlockHash: hashOf('5'),
    acrossEpoch: false,
    smallerRoundInfo,
    largerRoundInfo,
  });
}

/** How a node prints it: a Go struct with its text. */
export const toProofField = (type: 'Vote' | 'QC', content: string): string =>
  `&{Id:0a1b:7:7 ForensicsType:${type} Content:${content}}`;

/** The votes for a block of a round, at the height of that number. */
export const votesFor = (round: number, block: string, ...signers: readonly string[]): PoolVotes[number] => ({
  ...{ key: `${round}:0:${round}:${hashOf(block)}`, round: String(round), signers },
});
