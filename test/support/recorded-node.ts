import { readFileSync } from 'node:fs';
import type { Methods, ReceivedCall } from './fake-node.ts';

const FOLDER = new URL('../fixtures/real-network/', import.meta.url);

/** What a real node answered to a call, by `method parameter`. The members that nobody reads are left out. */
type Recording = Readonly<Record<string, { readonly result?: unknown; readonly error?: unknown }>>;

const readRecording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));

/** The hash that a recorded node gives the block at a height. None was recorded by its number. */
export const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, 'b')}`;

/** A block by its number, in the recorded form. */
const toBlock = (number: number) => ({ Hash: hashOf(number), Number: number, Committed: true, Error: '' });

/**
 * The methods of recordings of a real node of XDC-Subnet v0.3.2. Later ones come first. Methods that are in none are
 * -32601, as on the node.
 */
export function recordedMethods(...names: readonly string[]): Methods {
  const recording: Recording = Object.assign({}, ...names.map(readRecording));
  const answer = ({ method, params }: ReceivedCall): unknown => {
    const key = [method, ...params.map(String)].join(' ');
    const known = recording[key];
    if (known !== undefined) return known.error === undefined ? known.result : { error: known.error };
    return toBlock(Number(params[0]));
  };
  return Object.fromEntries(Object.keys(recording).map((key) => [key.split(' ')[0] ?? key, answer]));
}
