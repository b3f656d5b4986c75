import type { Call, CallDeps } from '../call.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import type { IdentifiedRequest } from '../request-context.ts';

/** Loaded at the first use: only this call needs it. */
const loadViem = () => import('viem/utils');

const BAD_ADDRESS =
  'the address must be 0x or xdc and 40 hexadecimal digits, in one case or with the right checksum (EIP-55)';

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

/** An amount in whole coins, as its smallest unit. */
async function checkAmount(text: string | null | undefined): Promise<Outcome<bigint | undefined>> {
  if (text === null || text === undefined) return succeed(undefined);
  if (text.trim() === '') return fail(1002, 'atLeast is empty; give it a value');
  if (!/^-?\d{1,80}(?:\.\d{1,18})?$/.test(text))
    return fail(1003, 'atLeast must be an amount in whole coins, as in 1.5');
  const { parseEther } = await loadViem();
  const amount = parseEther(text);
  return amount < 0n || amount > MOST_COINS * 10n ** 18n
    ? fail(1011, `atLeast must be from 0 to ${MOST_COINS}`)
    : succeed(amount);
}

async function readWallet(
  { query }: IdentifiedRequest,
  { parentChains }: CallDeps,
  segment: string,
): Promise<Outcome<unknown>> {
  const address = await checkAddress(segment);
  if (!address.ok) return address;
  const atLeast = await checkAmount(query?.get('atLeast'));
  if (!atLeast.ok) return atLeast;
  const subnet = query?.get('subnet') ?? undefined;
  const chains = parentChains.list();
  const chain = chains.find((one) => subnet === undefined || one.subnet === subnet);
  if (chain === undefined)
    return chains.length === 0
      ? fail(1004, 'subnetd knows no parent chain; set parentChain of a subnet in the inventory')
      : fail(1004, `subnet: no such subnet has a parent chain; there is ${chains.map((one) => one.subnet).join(', ')}`);
  const balance = await parentChains.readBalance(chain.rpc, address.value);
  if (!balance.ok) return fail(1115, `the parent chain of ${chain.subnet} ${balance.why}; try again later`);
  const { formatEther } = await loadViem();
  const coins = formatEther(balance.value);
  if (atLeast.value !== undefined && balance.value < atLeast.value)
    return fail(1116, `the balance is ${coins}, below ${formatEther(atLeast.value)}`);
  const xdc = `xdc${address.value.slice(2)}`;
  return succeed({
    Address: address.value,
    XdcAddress: xdc,
    Subnet: chain.subnet,
    Balance: coins,
    Wei: `${balance.value}`,
  });
}

const text = (description: string) => ({ type: 'string', description });
const ADDRESS = `0x${'0'.repeat(39)}1`;

/** The balance of an address on the parent chain. */
export const wallet: Call = {
  id: 'getWallet',
  method: 'GET',
  path: '/Wallet/{address}',
  tag: 'Wallet',
  summary: 'Show the balance of an address on the parent chain',
  description: 'Works only if the inventory names the parent chain of a subnet (parentChain).',
  isSpecified: false,
  scope: 'read',
  segment: {
    name: 'address',
    schema: {
      type: 'string',
      pattern: '^(?:0x|xdc)[0-9a-fA-F]{40}$',
      description: 'An address as 0x… or xdc…; with letters in both cases, its checksum must be right.',
      examples: [ADDRESS],
    },
  },
  query: [
    {
      name: 'atLeast',
      schema: {
        type: 'string',
        pattern: '^-?[0-9]+(?:\\.[0-9]{1,18})?$',
        description: 'Fail with 1116 if the balance is below this many coins.',
        examples: ['1.5'],
      },
    },
    { name: 'subnet', schema: text('The subnet whose parent chain is asked. Default: the first with a parent chain.') },
  ],
  data: {
    type: 'object',
    properties: {
      Address: { ...text('The address as 0x… with its checksum.'), examples: [ADDRESS] },
      XdcAddress: text('The same as xdc….'),
      Subnet: text('The subnet whose parent chain was asked.'),
      Balance: { ...text('In whole coins.'), examples: ['1.5'] },
      Wei: { ...text('In the smallest unit.'), examples: ['1500000000000000000'] },
    },
    required: ['Address', 'XdcAddress', 'Subnet', 'Balance', 'Wei'],
  },
  codes: [1002, 1003, 1004, 1010, 1011, 1115, 1116],
  answer: readWallet,
};
