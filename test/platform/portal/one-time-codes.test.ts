import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { ROOT_PASSWORD } from '../../support/api.ts';
import type { Shown } from '../../support/portal.ts';
import { useDatabases } from '../../support/use-api.ts';
import { usePortal } from '../../support/use-portal.ts';

const MINUTE = 60_000;
const RECOVERY_CODE = /<li><code>(\d[\w-]{18})<\/code><\/li>/g;
const recoveryCodesIn = ({ html }: Shown) => [...html.matchAll(RECOVERY_CODE)].map(([, code = '']) => code);

// What differs by database is in test/store/sign-in-store.test.ts.
describe('one-time codes in the portal', () => {
  const databases = useDatabases('sqlite');
  const { portal, visitor } = usePortal(databases);
  let waited = 0;
  let secret = '';
  let recovery: readonly string[] = [];
  const wait = (ms: number) => {
    waited += ms;
    portal.wait(ms);
  };
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + waited });
  const act = async (name: string, form: Readonly<Record<string, string>>) => {
    await visitor.get('/portal/account');
    return visitor.post(`/portal/account/codes-${name}`, form);
  };

  it('are turned on by password, with a QR code, and by the first code of the app', async () => {
    const refused = await act('enrol', { Password: 'wrong' });
    expect([refused.status, refused.words]).toEqual([
      400,
      expect.stringContaining('Password is wrong; send the current password of your account. Code 1118'),
    ]);
    const started = await act('enrol', { Password: ROOT_PASSWORD });
    expect(started.html).toMatch(
      /<svg width="220" height="220" role="img" aria-label="QR code for the app" [^>]*viewBox/,
    );
    secret = /<code>([A-Z2-7]{32})<\/code>/.exec(started.html)?.[1] ?? '';
    expect(started.headers.get('cache-control')).toBe('no-store');
    expect((await visitor.get('/portal/account')).words).toContain('Setup is not finished.');
    const wrong = await act('confirm', { Otp: '12345' });
    expect([wrong.status, wrong.words]).toEqual([
      400,
      expect.stringContaining(
        'One-time code must be the six digits from your authenticator app, or a recovery code. Code 1122',
      ),
    ]);
    const confirmed = await act('confirm', { Otp: code() });
    recovery = recoveryCodesIn(confirmed);
    expect(recovery).toHaveLength(10);
    const page = await visitor.get('/portal/account');
    expect(page.words).toContain(
      'Signing in requires a code from your app, or a recovery code. 10 recovery codes are left.',
    );
    expect(page.html).not.toContain(secret);
    for (const one of recovery) expect(page.html).not.toContain(one);
  });

  it('are asked for at the sign-in, in the words of the API', async () => {
    wait(5 * MINUTE);
    const guest = portal.visitor();
    const signIn = (Otp: string, Password = ROOT_PASSWORD) =>
      guest.post('/portal/sign-in', { UserName: 'root', Password, Otp });
    await guest.get('/portal/sign-in');
    expect((await signIn('')).words).toContain(
      'One-time code is missing; this account needs a one-time code. Code 1122',
    );
    expect((await signIn('000000')).words).toMatch(/One-time code is wrong/);
    expect((await signIn(code(), 'wrong')).words).toContain('Code 1104');
    const used = code();
    await signIn(used);
    expect(guest.path()).not.toContain('/portal/sign-in');
    const other = portal.visitor();
    await other.get('/portal/sign-in');
    const again = await other.post('/portal/sign-in', { UserName: 'root', Password: ROOT_PASSWORD, Otp: used });
    expect(again.words).toContain('One-time code was used before; wait for the next code.');
    await other.post('/portal/sign-in', { UserName: 'root', Password: ROOT_PASSWORD, Otp: recovery[0] ?? '' });
    expect(other.path()).not.toContain('/portal/sign-in');
  });

  it('are renewed and turned off by password and code', async () => {
    wait(5 * MINUTE);
    const refused = await act('renew', { Password: ROOT_PASSWORD, Otp: '' });
    expect(refused.words).toContain('One-time code is empty; give it a value. Code 1002');
    const renewed = recoveryCodesIn(await act('renew', { Password: ROOT_PASSWORD, Otp: code() }));
    expect(renewed).toHaveLength(10);
    expect(renewed).not.toContain(recovery[1]);
    expect((await act('remove', { Password: ROOT_PASSWORD, Otp: recovery[1] ?? '' })).words).toContain('Code 1119');
    for (const one of renewed.slice(0, 8)) await portal.store.takeRecoveryCode(1, Number(one[0]));
    expect((await visitor.get('/portal/account')).words).toContain(
      '2 recovery codes are left. Create new recovery codes',
    );
    const removed = await act('remove', { Password: ROOT_PASSWORD, Otp: renewed[9] ?? '' });
    expect(removed.words).toContain('One-time codes are off. Signing in requires only the password.');
    expect(await portal.store.findCodes(1)).toBeUndefined();
  });

  it('cannot be turned on by another page, which has no token of the session', async () => {
    const foreign = await visitor.post('/portal/account/codes-enrol', { csrf: '', Password: ROOT_PASSWORD });
    expect(foreign.status).toBe(403);
    expect(await portal.store.findCodes(1)).toBeUndefined();
  });
});
