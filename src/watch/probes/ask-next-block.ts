import { decodeErrorResult, encodeFunctionData, parseAbi, toFunctionSelector } from 'viem/utils';
import type { Checkpoint, NextBlock } from '../../model/parent-chain.ts';
import type { SubnetFinder } from './find-on-subnet.ts';
import { type ParentAnswer, type ParentClient, readAnswer, readQuantity } from './parent-client.ts';

/** The same in all kinds of the contract (XDC-CSC FullCheckpoint, LiteCheckpoint). */
const ABI = parseAbi(['function receiveHeader(bytes[] headers)']);
const READ_EPOCHS = ['INIT_EPOCH()', 'INIT_GAP()'].map(toFunctionSelector);

/** In lite mode the relayer submits an epoch or gap block with the three after it, which commit it (XDC-Relayer src/processors/lite.ts). */
const LITE_BLOCKS = [0, 1, 2, 3];

/** The data of a revert with a text, and of one by a check of the compiler. */
const REASON = /0x(?:08c379a0|4e487b71)[\da-f]*/i;

/** A node that does not run the contract to its end shows nothing of what that says. */
const NOT_RUN = /out of gas|gas required|opcode|invalid jump|stack/i;

const MOST_LETTERS = 60;

/** The words of a revert, in its data or in the text of the node. Anybody can deploy a contract that says anything. */
function readReason(said: string): string {
  const [data] = REASON.exec(said) ?? [];
  let words = said.replace(/^0x.*|^.*?revert(?:ed)?:?/i, '');
  try {
    if (data !== undefined) {
      const { errorName, args } = decodeErrorResult({ data: data as `0x${string}` });
      words = errorName === 'Error' ? String(args?.[0]) : errorName;
    }
  } catch {
    // It is cut, or something else.
  }
  return words
    .replaceAll(/[^\w .,:'()-]/g, '')
    .trim()
    .slice(0, MOST_LETTERS);
}

/** What the contract would say; undefined when the node does not show it. Some nodes give the data of a revert as a result. */
function judge(answer: ParentAnswer | undefined, number: number): NextBlock | undefined {
  const said = answer?.ok ? REASON.exec(String(answer.value))?.[0] : answer?.reverted;
  if (said !== undefined) return NOT_RUN.test(said) ? undefined : { number, refusal: readReason(said) };
  return answer?.ok && answer.value === '0x' ? { number } : undefined;
}

/** The next epoch or gap block after one that is committed, as the relayer finds it. */
async function findLiteBlock(client: ParentClient, to: string, number: number, signal: AbortSignal) {
  const calls = READ_EPOCHS.map((data) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] }));
  const answers = (await client.ask(calls, signal)).map((answer) => readAnswer(answer, readQuantity));
  const [epoch, gap] = answers.map((answer) => (answer.ok ? Number(answer.value) : Number.NaN));
  if (epoch === undefined || gap === undefined) return Number.NaN;
  return number % epoch === 0 ? number + epoch - gap + 1 : (Math.floor(number / epoch) + 1) * epoch;
}

/**
 * What the contract at `to` would do with the block that the relayer submits next, from the wallet `from`. Undefined when no committed
 * block waits, when a node does not say, and for a contract whose relayer continues an earlier submission. Never rejects.
 */
export async function askNextBlock(
  client: ParentClient,
  finder: SubnetFinder,
  { to, from }: { readonly to: string; readonly from: string | undefined },
  { mode, latest, committed }: Checkpoint,
  signal: AbortSignal,
): Promise<NextBlock | undefined> {
  const isLite = mode === 'lite' && latest.number === committed.number;
  if (mode !== 'full' && !isLite) return undefined;
  const number = isLite ? await findLiteBlock(client, to, latest.number, signal) : latest.number + 1;
  if (!Number.isSafeInteger(number)) return undefined;
  const numbers = isLite ? LITE_BLOCKS.map((after) => number + after) : [number];
  const headers = await finder.readHeaders(numbers, signal);
  if (headers.length === 0) return undefined;
  const data = encodeFunctionData({ abi: ABI, functionName: 'receiveHeader', args: [headers] });
  const call = { method: 'eth_call', params: [{ to, data, ...(from && { from }) }, 'latest'] };
  const [answer] = await client.ask([call], signal);
  return judge(answer, number);
}
