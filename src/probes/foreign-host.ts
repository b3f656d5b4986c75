import { isIP } from 'node:net';

const LOCAL = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|test|invalid|example)$/;

const hostOf = (url: string): string => URL.parse(url)?.hostname.toLowerCase() ?? '';

/** The owner of a host name, approximated by its last two labels. */
const ownerOf = (host: string): string => host.split('.').slice(-2).join('.');

/**
 * Is the request for a foreign host: a public name that is unrelated to the page and to the inventory's addresses
 * (`own`)? IP addresses and local names are never foreign.
 */
export function isForeignHost(request: string, page: string, own: readonly string[]): boolean {
  const host = hostOf(request);
  if (!/^https?:/i.test(request) || !host.includes('.') || isIP(host.replace(/^\[|\]$/g, '')) !== 0) return false;
  if (LOCAL.test(host)) return false;
  return ![page, ...own].some((url) => ownerOf(hostOf(url)) === ownerOf(host));
}
