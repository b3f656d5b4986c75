import type { Hex } from 'viem';
import { keccak256, numberToHex, recoverAddress, toRlp } from 'viem/utils';
import { isRecord, parseJson } from '../lib/values.ts';
import { type DoubleVote, isOfOneRound, type SignedVote } from '../model/double-vote.ts';
import { readGiven } from './read-given.ts';
import { type ExitCode, escapeText, printLine, refuse, toJson } from './report.ts';

/**
 * What the file proves of two votes. `proved`: one key signed two blocks of one round. `signed`: it signed both blocks, of two rounds;
 * only the chain could show that they exclude each other. `seen`: pools named the signer, without signatures. `refuted`: it is wrong.
 */
type Finding = 'proved' | 'signed' | 'seen' | 'refuted';

interface Checked {
  readonly finding: Finding;
  readonly why: string;
}

const toInteger = (value: number): Hex => (value === 0 ? '0x' : numberToHex(value));

/**
 * Who signed a vote. A signature is of the Keccak-256 hash of the RLP of [[block hash, round, block number], gap number]
 * (XDC-Subnet core/types/consensus_v2.go, VoteSigHash).
 */
function findSigner({ hash, round, number = 0, gap = 0, signature }: SignedVote): Promise<string | undefined> {
  const signed = keccak256(toRlp([[hash as Hex, toInteger(round), toInteger(number)], toInteger(gap)]));
  return recoverAddress({ hash: signed, signature: signature as Hex }).then(
    (address) => address.toLowerCase(),
    () => undefined,
  );
}

async function checkVotes(one: DoubleVote): Promise<Checked> {
  const { signer, votes } = one;
  const [first, second] = votes;
  const refute = (why: string): Checked => ({ finding: 'refuted', why });
  if (first.hash === second.hash) return refute('both votes are for one block');
  if (votes.some(({ signature }) => signature === undefined))
    return isOfOneRound(one)
      ? { finding: 'seen', why: 'pools name the signer and hold no signature, so it rests on the word of these nodes' }
      : refute('the votes are of two rounds, and nothing has their signatures');
  for (const vote of votes) {
    const found = await findSigner(vote);
    if (found !== signer.toLowerCase())
      return refute(`the vote for ${vote.hash} was signed by ${found ?? 'nobody: its signature is broken'}`);
  }
  return isOfOneRound(one)
    ? { finding: 'proved', why: 'both signatures are of this key' }
    : {
        finding: 'signed',
        why: 'both signatures are of this key; that the blocks exclude each other only the chain shows',
      };
}

const isVote = (value: unknown): value is SignedVote =>
  isRecord(value) &&
  typeof value.hash === 'string' &&
  /^0x[0-9a-f]{64}$/.test(value.hash) &&
  [value.round, value.number ?? 0, value.gap ?? 0].every((one) => Number.isSafeInteger(one) && Number(one) >= 0) &&
  (value.signature === undefined || /^0x[0-9a-f]{130}$/.test(String(value.signature)));

const isDoubleVote = (value: unknown): value is DoubleVote =>
  isRecord(value) &&
  typeof value.signer === 'string' &&
  Array.isArray(value.votes) &&
  value.votes.length === 2 &&
  value.votes.every(isVote);

/** All lists of double votes in a value, however deep: of an incident, of its capsule, of the status of all subnets. */
function findLists(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'doubleVotes' && Array.isArray(member) ? member : findLists(member),
  );
}

const describe = ({ signer, votes }: DoubleVote): string => {
  const blocks = votes.map(
    ({ hash, round, number }) => `${hash} (round ${round}${number === undefined ? '' : `, block ${number}`})`,
  );
  return `${signer}: ${blocks.join(' and ')}`;
};

/**
 * `subnetd check-votes FILE`: checks the double votes of an exported incident, or of `/status.json`, with nothing but that file. Exit 0
 * unless one is wrong, which is 1; 2 when the file holds none.
 */
export async function checkVotesOf(file: string, { json = false }: { readonly json?: boolean }): Promise<ExitCode> {
  const NAME = 'subnetd check-votes';
  const { content, why = '' } = await readGiven(file);
  if (content === undefined) return refuse(NAME, why);
  const all = findLists(parseJson(content));
  if (all.length === 0)
    return refuse(NAME, `${file} holds no double votes; export an incident of them as JSON from its page`);
  const checked: (Checked & { readonly of: DoubleVote | undefined })[] = [];
  for (const one of all)
    checked.push(
      isDoubleVote(one)
        ? { ...(await checkVotes(one)), of: one }
        : { finding: 'refuted', why: 'it has another form', of: undefined },
    );
  if (json)
    printLine(
      toJson(
        checked.map(({ of, ...rest }) => ({ ...rest, ...of })),
        2,
      ),
    );
  else
    for (const { finding, why, of } of checked)
      printLine(escapeText(`${finding}  ${of === undefined ? '' : `${describe(of)}: `}${why}`));
  return checked.some(({ finding }) => finding === 'refuted') ? 1 : 0;
}
