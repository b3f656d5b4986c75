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
