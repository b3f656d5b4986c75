import { describe, expect, test } from 'vitest';
import { compilePack, createMatcher } from '../../../src/watch/logs/match/create-matcher.ts';
import { nodePack } from '../../../src/watch/logs/packs/node-pack.ts';
import { readVoteProof } from '../../../src/watch/logs/read-vote-proof.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';
import { createSigner, hashOf, toCertificateContent, toProofField, toVoteContent } from '../../support/double-votes.ts';
import { NODE_FORMATS, type NodeRecord } from '../../support/log-formats.ts';

const signer = createSigner();
const one = await signer.sign({ round: 7, number: 5, gap: 0, hash: hashOf('a') });
const other = await signer.sign({ round: 7, number: 5, gap: 0, hash: hashOf('b') });
const pair = { signer: signer.address, votes: [one, other] };
const content = toVoteContent(signer.address, one, other);
const MESSAGE = 'Forensics proof report generated, sending to the stats server';

/** What the pattern takes out of a line. */
function valuesIn(line: string): readonly (string | undefined)[] {
  const values: (string | undefined)[] = [];
  const match = createMatcher(compilePack(nodePack));
  match(`${line}\n`, 0, line.length, ({ name }, value) => {
    if (name === 'vote_proof') values.push(value);
  });
  return values;
}

const read = (line: string) => valuesIn(line).flatMap((value) => readVoteProof(value ?? ''));

describe('the line in which a node proves a double vote', () => {
  const record = (type: 'Vote' | 'QC', text: string): NodeRecord => ({
    ...{ level: 'INFO', message: MESSAGE, fields: [['forensicsProof', toProofField(type, text)]] },
  });

  test.each(Object.entries(NODE_FORMATS))('is read with both signatures as %s', (_, format) => {
    expect(read(format(record('Vote', content)))).toEqual([pair]);
  });

  test('is read as JSON in which the proof is an object', () => {
    const forensicsProof = { id: '0a1b:7:7', forensicsType: 'Vote', content };
    expect(read(JSON.stringify({ t: '2026-11-25T12:00:00Z', lvl: 'info', msg: MESSAGE, forensicsProof }))).toEqual([
      pair,
    ]);
  });

  test('of two certificates names each who has signed both', async () => {
    const [second, third] = [createSigner(), createSigner()];
    const [more, alone] = [
      await second.sign({ round: 7, number: 5, gap: 0, hash: hashOf('b') }),
      await third.sign({ round: 7, number: 5, gap: 0, hash: hashOf('a') }),
    ];
    const text = toCertificateContent(
      [
        [signer.address, one],
        [third.address, alone],
      ],
      [
        [second.address, more],
        [`xdc${signer.address.slice(2).toUpperCase()}`, other],
      ],
    );
    const line = NODE_FORMATS['XDC-Subnet terminal']?.(record('QC', text)) ?? '';
    expect(read(line)).toEqual([pair]);
  });

  test.each([
    ['cut', toProofField('Vote', content).slice(0, 300)],
    ['about one block', toProofField('Vote', toVoteContent(signer.address, one, one))],
    ['without a hash', toProofField('Vote', content.replaceAll('"hash"', '"hush"'))],
    ['with a broken signature', toProofField('Vote', content.replace(/"signature":"..../, '"signature":"'))],
    ['something else', 'nil'],
  ])('proves nothing when it is %s', (_, field) => {
    expect(readVoteProof(field)).toEqual([]);
  });

  test('counts only if it was printed since subnetd reads the log', () => {
    const hit = { pattern: 'vote_proof', means: 'note', at: 9, value: toProofField('Vote', content) } as const;
    expect(foldLogHit('node', {}, { ...hit, counted: true }).node?.proofs).toEqual([{ ...pair, at: 9 }]);
    expect(foldLogHit('node', {}, { ...hit, counted: false }).node?.proofs).toBeUndefined();
  });
});
