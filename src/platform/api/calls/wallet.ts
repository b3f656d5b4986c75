import { asSent, defineCall, type Member, objectOf } from '../call.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';

/** Loaded at the first use: only this call needs it. */
const loadViem = () => import('viem/utils');

const BAD_ADDRESS =
  'the address must be 0x or xdc and 40 hexadecimal digits, all in one case or with a valid checksum (EIP-55)';

/** An address as `0x…` with its checksum. One with letters in both cases must have the right checksum itself. */
async function checkAddress(text: string): Promise<Outcome<string>> {
  const [, digits] = /^(?:0x|xdc)([0-9a-fA-F]{40})$/.exec(text) ?? [];
  if (digits === undefined) return fail(1010, BAD_ADDRESS);
  const { getAddress } = await loadViem();
  const address = getAddress(`0x${digits.toLowerCase()}`);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || address === `0x${digits}` ? succeed(address) : fail(1010, BAD_ADDRESS);
}

/** More coins than any chain has. */
const MOST_COINS = 10n ** 15n;

/** A number of whole coins as a text. */
const AT_LEAST: Member<string> = {
  schema: {
    type: 'string',
    pattern: '^-?[0-9]+(?:\\.[0-9]{1,18})?$',
    description: 'Fail with 1116 if the balance is below this many coins.',
    examples: ['1.5'],
  },
  codes: [1002, 1003, 1011],
  read: (value, name) => {
    const text = String(value);
    if (text.trim() === '') return fail(1002, `${name} is empty; give it a value`);
    return /^-?\d{1,80}(?:\.\d{1,18})?$/.test(text)
      ? succeed(text)
      : fail(1003, `${name} must be an amount in whole coins such as 1.5`);
  },
};

/** An amount in whole coins, as its smallest unit. */
async function checkAmount(text: string | undefined): Promise<Outcome<bigint | undefined>> {
  if (text === undefined) return succeed(undefined);
  const { parseEther } = await loadViem();
  const amount = parseEther(text);
  return amount < 0n || amount > MOST_COINS * 10n ** 18n
    ? fail(1011, `atLeast must be from 0 to ${MOST_COINS}`)
    : succeed(amount);
}

const text = (description: string) => ({ type: 'string', description });
const ADDRESS = `0x${'0'.repeat(39)}1`;

/** The balance of an address on the parent chain. */
export const wallet = defineCall({
  id: 'getWallet',
  method: 'GET',
  path: '/Wallet/{address}',
  tag: 'Wallet',
  summary: 'Show the balance of an address on the parent chain',
  description: 'Works only if the inventory names the parent chain of a subnet (parentChain).',
  scope: 'read',
  segment: {
    address: {
      schema: {
        type: 'string',
        pattern: '^(?:0x|xdc)[0-9a-fA-F]{40}$',
        description: 'An address as 0x… or xdc…; in mixed case, its checksum must be valid.',
        examples: [ADDRESS],
      },
      codes: [1010],
      read: asSent,
    },
  },
  query: {
    atLeast: AT_LEAST,
    subnet: {
      schema: text('The subnet whose parent chain is queried. Default: the first with a parent chain.'),
      codes: [],
      read: asSent,
    },
  },
  data: objectOf({
    Address: { ...text('The address as 0x… with its checksum.'), examples: [ADDRESS] },
    XdcAddress: text('The same as xdc….'),
    Subnet: text('The subnet whose parent chain was queried.'),
    Balance: { ...text('In whole coins.'), examples: ['1.5'] },
    Wei: { ...text('In the smallest unit.'), examples: ['1500000000000000000'] },
  }),
  codes: [1004, 1115, 1116],
  run: async ({ address: sent, atLeast: least, subnet }, _, { parentChains }) => {
    const address = await checkAddress(String(sent));
    if (!address.ok) return address;
    const atLeast = await checkAmount(least);
    if (!atLeast.ok) return atLeast;
    const chains = parentChains.list();
    const chain = chains.find((one) => subnet === undefined || one.subnet === subnet);
    if (chain === undefined)
      return chains.length === 0
        ? fail(1004, 'no parent chain is configured; set parentChain of a subnet in the inventory')
        : fail(
            1004,
            `subnet: no subnet of that name has a parent chain; use one of ${chains.map((one) => one.subnet).join(', ')}`,
          );
    const balance = await parentChains.readBalance(chain.rpc, address.value);
    if (!balance.ok) return fail(1115, `the parent chain of ${chain.subnet} ${balance.why}; try again later`);
    const { formatEther } = await loadViem();
    const coins = formatEther(balance.value);
    if (atLeast.value !== undefined && balance.value < atLeast.value)
      return fail(1116, `the balance is ${coins}, below ${formatEther(atLeast.value)}`);
    return succeed({
      Address: address.value,
      XdcAddress: `xdc${address.value.slice(2)}`,
      Subnet: chain.subnet,
      Balance: coins,
      Wei: `${balance.value}`,
    });
  },
});
