import { Secret, TOTP } from 'otpauth';
import { onCommandLine } from '../../src/platform/api/create-admin.ts';
import { adminUser } from '../../src/platform/api/resources.ts';
import { type Api, cheapHash, ROOT_PASSWORD } from './api.ts';

/** What an admin user has in the authenticator app, and the recovery codes. */
export interface TestCodes {
  /** What the app shows at a time in Unix milliseconds. */
  readonly at: (now: number) => string;
  readonly recovery: readonly string[];
}

/** Adds an admin user with the password of `root`; resolves to the id. */
export async function addUser(api: Pick<Api, 'store'>, UserName: string, IsActive = true): Promise<number> {
  const [first = ''] = UserName;
  const names = { FirstName: first, LastName: first, UserName, EmailID: `${UserName}@example.com` };
  const values = { ...names, Password: await cheapHash(), IsActive };
  const added = await api.store.add(adminUser, values, onCommandLine(Date.now()));
  if (!added.ok) throw new Error(`${UserName}: ${added.why}`);
  return added.id;
}

/** Signs in by the password of `root`. */
export const signInAs = (api: Pick<Api, 'sendBare'>, UserName: string, Otp?: string) =>
  api.sendBare('POST', '/api/Auth/Token', { UserName, Password: ROOT_PASSWORD, Otp });

/** Sets up one-time codes for an admin user over the API. `now` is its time in Unix milliseconds. */
export async function enrolCodes(api: Pick<Api, 'sendBare'>, UserName: string, now: number): Promise<TestCodes> {
  const headers = { authorization: String((await signInAs(api, UserName)).data.token) };
  const call = async (name: string, body: object) =>
    (await api.sendBare('POST', `/api/Otp/${name}`, body, headers)).data;
  const secret = Secret.fromBase32(String((await call('Enrol', { Password: ROOT_PASSWORD })).Secret));
  const at = (timestamp: number) => new TOTP({ secret }).generate({ timestamp });
  const recovery = (await call('Confirm', { Otp: at(now) })).RecoveryCodes as readonly string[];
  return { at, recovery };
}
