import { describe, expect, it } from 'vitest';
import type { DatabaseAddress } from '../../../src/store/database-url.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { addUser, enrolCodes, signInAs } from '../../support/one-time-codes.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const MINUTE = 60_000;
const NEEDED =
  'every admin user must use one-time codes here, and your account has none; sign in at /portal to set them up, then send Otp';

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  let now = Date.now();
  let address: Promise<DatabaseAddress> | undefined;
  const databases = useDatabases(kind);
  const create = () => {
    address ??= databases.create();
    return address;
  };
  const more = { now: () => now };
  const free = useApi({ create }, {}, undefined, more);
  const strict = useApi({ create }, { requiresOtp: true }, undefined, more);
  let ada = 0;
  const body = (UserName: string, change: object = {}) => ({
    ...{ FirstName: 'F', LastName: 'L', UserName, Password: 'a long sentence', EmailID: `${UserName}@example.com` },
    ...{ IsActive: true, CreateBy: 1, ...change },
  });

  it('a caller without codes sees no change, also with users who have codes', async () => {
    ada = await addUser(free, 'ada');
    await enrolCodes(free, 'ada', now);
    expect((await free.send('POST', '/api/AdminUser/Add', body('bob', { Otp: 7 }))).http).toBe(200);
    const { CreateBy: _, ...change } = body('ada', { UpdateBy: 1, UserID: ada });
    expect((await free.send('PUT', '/api/AdminUser/Update/1', change)).http).toBe(200);
    const { key } = await free.makeKey('admin');
    expect((await free.sendBare('POST', '/api/Account/Unlock', { UserID: ada, apiKey: key, Otp: 'x' })).http).toBe(200);
  });

  it('with SUBNETD_REQUIRE_OTP such a caller lists and writes records, and gives nobody an account', async () => {
    expect(await strict.send('POST', '/api/AdminUser/Add', body('eve'))).toMatchObject({
      ...{ http: 400, appErrorCode: 1122, errMessage: NEEDED },
    });
    const { key } = await strict.makeKey('admin');
    const reset = await strict.sendBare('POST', '/api/Otp/Reset', { UserID: ada, apiKey: key });
    expect(reset.errMessage).toBe(NEEDED);
    const industry = { IndustryName: 'Rails', ImagePath: 'a.png', IsDeleted: false, CreateBy: 1 };
    expect((await strict.send('POST', '/api/Industry/Add', industry)).http).toBe(200);
  });

  it('with SUBNETD_REQUIRE_OTP a password gets a token only with a code, and tokens without one end', async () => {
    await addUser(free, 'cleo');
    const others = await enrolCodes(free, 'cleo', now);
    now += MINUTE;
    expect(await signInAs(strict, 'root')).toMatchObject({ http: 400, appErrorCode: 1122, errMessage: NEEDED });
    expect((await signInAs(strict, 'cleo')).errMessage).toBe('Otp is missing; this account needs a one-time code');
    const list = (token: unknown) =>
      strict.sendBare('GET', '/api/Sector/ListAll/0', undefined, { authorization: String(token) });
    expect((await list((await signInAs(strict, 'cleo', others.at(now))).data.token)).http).toBe(200);
    expect(await list((await signInAs(free, 'root')).data.token)).toMatchObject({
      ...{ http: 403, appErrorCode: 1104 },
      errMessage:
        'the token was made without a one-time code, which every admin user needs here; get a new one from POST /api/Auth/Token with Otp',
    });
    const ofKey = await strict.sendBare('POST', '/api/Auth/Token', { apiKey: strict.key });
    expect((await list(ofKey.data.token)).http).toBe(200);
  });
});
