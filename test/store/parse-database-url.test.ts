import { describe, expect, it } from 'vitest';
import { parsePlatformSettings } from '../../src/daemon/settings.ts';
import { formatDatabase, parseDatabaseUrl } from '../../src/store/database-url.ts';

const shown = (text: string) => {
  const address = parseDatabaseUrl(text);
  return address && formatDatabase(address);
};

describe('the address of a PostgreSQL', () => {
  it('is shown without user and password', () => {
    for (const user of ['', 'u@', 'u:secret@', 'u:se%2Fcr%40et@'])
      expect(shown(`postgres://${user}db.example.com:5432/subnetd?sslmode=disable`)).toBe(
        'postgres://db.example.com:5432/subnetd',
      );
    expect(shown('postgres://db/subnetd?user=u&password=secret')).toBe('postgres://db/subnetd');
    expect(shown('postgres://u:secret@db/subnetd?application_name=a@b')).toBe('postgres://db/subnetd');
  });

  it.each(['p@ss/secret', '12/secret', '12?secret', '12#secret', 'p@ss#secret', 'a/b'])(
    'is refused with the password %s, of which a part would be the host or the database',
    (password) => {
      const text = `postgres://u:${password}@db/subnetd`;
      const errors: string[] = [];
      parsePlatformSettings((name) => (name === 'SUBNETD_DATABASE_URL' ? text : undefined), errors);
      expect(errors).toEqual([
        'SUBNETD_DATABASE_URL must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE; in a password, write / as %2F, ? as %3F, # as %23 and @ as %40',
      ]);
    },
  );
});
