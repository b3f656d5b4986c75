import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { createSigner, hashOf } from '../support/double-votes.ts';
import { runCommand } from '../support/run-command.ts';

/** Runs the command on a file of this content. */
function run(content: unknown, ...flags: readonly string[]) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const file = folder.path('incident.json');
  writeFileSync(file, JSON.stringify(content));
  return runCommand(['check-votes', file, ...flags]);
}

const signer = createSigner();
const block = { number: 1_234, gap: 450 };
const one = { ...(await signer.sign({ ...block, round: 1_300, hash: hashOf('a') })), seenBy: 'subnet1' };
const other = { ...(await signer.sign({ ...block, round: 1_300, hash: hashOf('b') })), seenBy: 'subnet1' };
const later = { ...(await signer.sign({ ...block, round: 1_302, hash: hashOf('b') })), seenBy: 'subnet1' };
const doubleVote = {
  signer: signer.address,
  source: 'log',
  nodes: ['subnet2'],
  at: '2026-11-28T12:00:00Z',
  votes: [one, other],
};
const incident = (...doubleVotes: readonly unknown[]) => ({ id: '1', capsule: { doubleVotes } });

test('two signatures of one key for two blocks of a round are proof', async () => {
  expect(await run(incident(doubleVote))).toEqual({
    code: 0,
    stderr: '',
    stdout: `proved  ${signer.address}: ${one.hash} (round 1300, block 1234) and ${other.hash} (round 1300, block 1234): both signatures are of this key\n`,
  });
});

test('what real masternodes signed is theirs', async () => {
  // The certificate for block 75 of a network of four, as a node gave it.
  const hash = '0xcf1702565f31a0bedee728700393382bfb564f33a05ded4187fdbf8103be1ff9';
  const signature =
    '0xaef8e9eb577a91142cad91fdc4aafd0eccb1f717200fb3a491213a60719590090ccb7582cbd8b51d731d6cd7c22d049aeb8477706d321d672096d59eb575192500';
  const real = { round: 79, number: 75, gap: 0, hash, signature };
  const votes = [real, { ...real, hash: hashOf('b') }];
  const { stdout } = await run(
    incident({ ...doubleVote, signer: '0xd92f9d7c36e0d3ce848b719e4c17f376721e3cc8', votes }),
  );
  expect(stdout).toMatch(new RegExp(`^refuted .*: the vote for ${hashOf('b')} was signed by 0x`));
});

test('pools that named a signer, and blocks of two rounds, are told from proof', async () => {
  const seen = { ...doubleVote, votes: [one, other].map(({ signature: _, ...vote }) => vote) };
  const signed = { ...doubleVote, votes: [one, later] };
  const { code, stdout } = await run({ subnets: [{ doubleVotes: [seen] }, { doubleVotes: [signed] }] });
  expect([code, stdout.split('\n').map((line) => line.split(' ')[0])]).toEqual([0, ['seen', 'signed', '']]);
  expect(stdout).toContain('so it rests on the word of these nodes');
  const { stdout: json } = await run(incident(seen), '--json');
  expect(JSON.parse(json)).toMatchObject([{ finding: 'seen', signer: signer.address, nodes: ['subnet2'] }]);
});

test.each([
  ['another key', { ...doubleVote, signer: createSigner().address }, `was signed by ${signer.address}`],
  ['another round', { ...doubleVote, votes: [one, { ...other, round: 1_301 }] }, 'was signed by 0x'],
  ['another gap block', { ...doubleVote, votes: [{ ...one, gap: 0 }, other] }, 'was signed by 0x'],
  ['one block', { ...doubleVote, votes: [one, one] }, 'both votes are for one block'],
  [
    'rounds that differ, unsigned',
    { ...doubleVote, votes: [one, { ...later, signature: undefined }] },
    'nothing has their signatures',
  ],
  ['no votes', { signer: signer.address }, 'it has another form'],
  ['a hash that is none', { ...doubleVote, votes: [one, { ...other, hash: '0x1' }] }, 'it has another form'],
])('%s is refuted', async (_, given, why) => {
  const { code, stdout } = await run(incident(given));
  expect([code, stdout.startsWith('refuted  ')]).toEqual([1, true]);
  expect(stdout).toContain(why);
});

test.each([{}, { capsule: null }, 'x'])('%j holds no double votes', async (content) => {
  const { code, stderr } = await run(content);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('holds no double votes; export an incident of them as JSON'),
  ]);
});
