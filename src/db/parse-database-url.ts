/** The address of the database. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Parses `sqlite:PATH` and `postgres://…`; undefined for anything else. */
export function parseDatabaseUrl(text: string): DatabaseAddress | undefined {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/s.exec(text)?.[1];
  if (path !== undefined) return path.includes('\0') ? undefined : { kind: 'sqlite', path };
  return /^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text) ? { kind: 'postgres', url: text } : undefined;
}

/** The address for a log: without user and password. */
export function formatDatabase(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return `sqlite:${address.path}`;
  const { host, pathname } = new URL(address.url);
  return `postgres://${host}${pathname}`;
}
