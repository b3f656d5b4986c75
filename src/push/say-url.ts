/** The address of an Alertmanager as it may be shown: without user info, query and fragment. */
export function sayUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}
