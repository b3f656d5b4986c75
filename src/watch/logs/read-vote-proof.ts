import { isRecord, parseJson } from '../../lib/values.ts';
import type { SignedVote, VotePair } from '../../model/double-vote.ts';

/** The two kinds of proofs. */
const CONTENT = /\{"(?:smallerRound|divergingBlock)/;

/** The JSON object that begins at a place. Its texts are hashes, addresses and base64, which hold no braces. */
function cutObject(text: string, begin: number): string {
  let depth = 0;
  for (let end = begin; end < text.length; end += 1) {
    if (text[end] === '{') depth += 1;
    if (text[end] === '}') depth -= 1;
    if (depth === 0) return text.slice(begin, end + 1);
  }
  return '';
}

const readAddress = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(?:0x|xdc)[0-9a-f]{40}$/i.test(value)
    ? `0x${value.slice(-40).toLowerCase()}`
    : undefined;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** A vote, without who has it: what a certificate and a vote have in common, and one signature in base64. */
function readVote(value: unknown, signed: unknown): SignedVote | undefined {
  const block = isRecord(value) ? value.proposedBlockInfo : undefined;
  if (!isRecord(value) || !isRecord(block) || typeof signed !== 'string') return undefined;
  const { hash, round, number } = block;
  const { gapNumber: gap } = value;
  const bytes = Buffer.from(signed, 'base64');
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash) || bytes.length !== 65) return undefined;
  if (!isCount(round) || !isCount(number) || !isCount(gap)) return undefined;
  return { round, number, gap, hash: hash.toLowerCase(), signature: `0x${bytes.toString('hex')}` };
}

const toPair = (signer: string, one: SignedVote | undefined, other: SignedVote | undefined): readonly VotePair[] =>
  one === undefined || other === undefined || one.hash === other.hash ? [] : [{ signer, votes: [one, other] }];

/** By signer: what a certificate holds of it. */
function readCertificate(info: unknown): ReadonlyMap<string, SignedVote | undefined> {
  const { quorumCert, signerAddresses } = isRecord(info) ? info : {};
  const { signatures } = isRecord(quorumCert) ? quorumCert : {};
  if (!Array.isArray(signerAddresses) || !Array.isArray(signatures)) return new Map();
  const signers = signerAddresses.map((address, index) => [readAddress(address), index] as const);
  return new Map(
    signers.flatMap(([signer, index]) =>
      signer === undefined ? [] : [[signer, readVote(quorumCert, signatures[index])] as const],
    ),
  );
}

/**
 * Reads what a node prints with `Forensics proof report generated`, the field as it stands in a line of any format: two votes, or two
 * certificates with each who has signed both (XDC-Subnet engine_v2/forensics.go, core/types/forensics.go). Empty if it is no such
 * field, or was cut.
 */
export function readVoteProof(field: string): readonly VotePair[] {
  // Escaped once or twice, as the format has it.
  const plain = field.replaceAll('\\', '');
  const begin = plain.search(CONTENT);
  const content = begin < 0 ? undefined : parseJson(cutObject(plain, begin));
  if (!isRecord(content)) return [];
  const { smallerRoundVote: less, largerRoundVote: more } = content;
  if (isRecord(less) && isRecord(more)) {
    const signer = readAddress(content.signer);
    return signer === undefined ? [] : toPair(signer, readVote(less, less.signature), readVote(more, more.signature));
  }
  const others = readCertificate(content.largerRoundInfo);
  return [...readCertificate(content.smallerRoundInfo)].flatMap(([signer, vote]) =>
    toPair(signer, vote, others.get(signer)),
  );
}
