import { isIP } from 'node:net';

const LOCAL = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|test|invalid|example)$/;

const hostOf = (url: string): string => URL.parse(url)?.hostname.toLowerCase() ?? '';

/** What a name belongs to, near enough: its last two labels. */
const ownerOf = (host: string): string => host.split('.').slice(-2).join('.');

/**
 * Whether the request goes to a stranger: a public name that neither the page nor the inventory's addresses (`own`) have
 * to do with. An address in digits, and a name that only this network knows, is no stranger's.
 */
export function isForeignHost(request: string, page: string, own: readonly string[]): boolean {
  const host = hostOf(request);
  if (!/^https?:/i.test(request) || !host.includes('.') || isIP(host.replace(/^\[|\]$/g, '')) !== 0) return false;
  if (LOCAL.test(host)) return false;
  return ![page, ...own].some((url) => ownerOf(hostOf(url)) === ownerOf(host));
}
