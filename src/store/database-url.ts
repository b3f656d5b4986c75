/** The address of the database. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/**
 * Parses `sqlite:PATH` and `postgres://…`; undefined for anything else. A `/`, `?` or `#` in a password must be encoded: it would
 * end the host within the password. An `@` after the host tells, and a log would show the rest as the database.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress | undefined {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/s.exec(text)?.[1];
  if (path !== undefined) return path.includes('\0') ? undefined : { kind: 'sqlite', path };
  const url = /^postgres(?:ql)?:\/\/./.test(text) ? URL.parse(text) : null;
  if (
    url === null ||
    url.hash !== '' ||
    url.pathname.includes('@') ||
    (url.username === '' && url.search.includes('@'))
  )
    return undefined;
  return { kind: 'postgres', url: text };
}

/** The address for a log: without user and password. */
export function formatDatabase(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return `sqlite:${address.path}`;
  const { host, pathname } = new URL(address.url);
  return `postgres://${host}${pathname}`;
}

/** What libpq knows, and the driver reads as libpq does only when it is asked to. */
const MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * The URL of a PostgreSQL for the driver, which takes `sslmode` as psql and pg_dump do: `require` encrypts, and checks no
 * certificate. By itself the driver takes all but `disable` for `verify-full`, and warns of that on stderr.
 */
export function toDriverUrl(url: string): string {
  const { searchParams } = new URL(url);
  const isKnown = MODES.includes(searchParams.get('sslmode') ?? '');
  return isKnown && !searchParams.has('uselibpqcompat') ? url.replace('?', '?uselibpqcompat=true&') : url;
}
