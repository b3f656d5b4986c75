import { z } from 'zod';
import { findUrlFault } from '../../lib/find-url-fault.ts';

const isUrl = (value: string, protocols: readonly string[]): boolean => {
  const url = URL.parse(value);
  return url !== null && protocols.includes(url.protocol) && url.hostname !== '';
};

/** A URL with one of these protocols, each with its colon; the example is in the error. `mayHoldAt` as in `findUrlFault`. */
export const url = (protocols: readonly string[], example: string, mayHoldAt = false) => {
  // A URL that begins so has a host. To ask only whether it is one takes a third of the time.
  const usual = new RegExp(`^(?:${protocols.join('|')})//`);
  const help = `must be a URL such as ${example}`;
  return z
    .string(help)
    .superRefine((value, { addIssue }) => {
      const isGood = usual.test(value) ? URL.canParse(value) : isUrl(value, protocols);
      const fault = findUrlFault(value, mayHoldAt);
      if (!isGood) addIssue(fault === undefined ? help : `${help}; ${fault}`);
      else if (fault !== undefined) addIssue(fault);
    })
    .meta({ format: 'uri' });
};

/** A URL of HTTP. */
export const httpUrl = (example: string) => url(['http:', 'https:'], example);
