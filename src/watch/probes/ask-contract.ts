import type { ParentResult } from '../../model/parent-chain.ts';
import { type ParentAnswer, readAnswer, readQuantity } from './parent-client.ts';

/** An address with its leading 0x. */
export type Address = `0x${string}`;

/** A call of a contract, by the data that viem has encoded. */
export const toCall = (to: Address, data: string) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] });

/** A number that a node or a method of a contract gives; an error of the node when it is none, or too large to count with. */
export const readNumber = (answer: ParentAnswer | undefined): ParentResult<number> =>
  readAnswer(answer, (value) => {
    const number = Number(readQuantity(value) ?? Number.NaN);
    return Number.isSafeInteger(number) ? number : undefined;
  });

/** What a method returned; an error of the node when it cannot be that. */
export const readResult = <T>(answer: ParentAnswer | undefined, toValue: (data: Address) => T): ParentResult<T> =>
  readAnswer(answer, (value) => {
    try {
      return toValue(value as Address);
    } catch {
      return undefined;
    }
  });
