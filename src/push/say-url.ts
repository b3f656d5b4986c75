/** The address of an Alertmanager as it is called: without user info, query and fragment. Its path may hold a token. */
export function toBase(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

/** The address of an Alertmanager as it may be shown: of its path only that there is one. */
export function sayUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${/^\/*$/.test(pathname) ? '' : '/…'}`;
}

/** So short a part of a path is no secret, and stands in many words. */
const SHORTEST_SECRET = 4;

/** A text of the other side without the path of the address, which it may repeat. */
export function withoutPath(text: string, url: string): string {
  const { pathname } = new URL(url);
  const parts = [pathname.replace(/\/+$/, ''), ...pathname.split('/')].filter((part) => part.length >= SHORTEST_SECRET);
  const decoded = parts.map((part) =>
    part.replaceAll(/%([2-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
  return [...parts, ...decoded].reduce((rest, part) => rest.replaceAll(part, '…'), text);
}
