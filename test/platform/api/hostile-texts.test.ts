import { describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../support/api.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const MARKS = `a${'\u0300'.repeat(15_500)}${'\u0316'.repeat(15_500)}`;
/** The most characters of any text, and as many as those of one can be before NFC. */
const LONGEST = 1_024;
const PARTS = 4;

describe('a flood of marks', () => {
  const api = useApi(useDatabases('sqlite'));

  /** Is the text refused for its length, before anything sorts its marks? */
  async function expectTooLong(name: string, send: () => Promise<Answer>): Promise<void> {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    try {
      const { appErrorCode, errMessage = '' } = await send();
      expect(appErrorCode).toBe(1005);
      expect(errMessage).toMatch(new RegExp(`^${name} exceeds the maximum of \\d+ characters$`));
      const lengths = normalize.mock.contexts.map((one) => String(one).length);
      expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(LONGEST);
      expect(lengths.length).toBeLessThanOrEqual(LONGEST * PARTS);
    } finally {
      normalize.mockRestore();
    }
  }

  it.each([
    ['UserName', 'Auth/Token', { UserName: MARKS, Password: 'x' }],
    ['Password', 'Auth/Token', { UserName: 'root', Password: MARKS }],
    ['Otp', 'Auth/Token', { UserName: 'root', Password: 'x', Otp: MARKS }],
    ['EmailID', 'Account/ForgotPassword', { EmailID: MARKS }],
    ['ResetToken', 'Account/ResetPassword', { ResetToken: MARKS, Password: 'x' }],
    ['ActivationToken', 'Account/Activate', { ActivationToken: MARKS, Password: 'x' }],
  ])('in %s of an anonymous %s is too long before anything sorts it', async (name, path, body) => {
    await expectTooLong(name, () => api.sendBare('POST', `/api/${path}`, body));
  });

  it.each([
    ['Name', 'POST', 'ApiKey/Add', { Name: MARKS, Scopes: ['read'] }],
    ['ContractName', 'POST', 'ProjectType/Add', { ContractName: MARKS, IsDeleted: false, CreateBy: 1 }],
    ['search', 'GET', 'Sector/ListAll/0', undefined],
    ['IndustryName', 'GET', 'Sector/ListAll/0', undefined],
  ])('in %s of %s %s is too long before anything sorts it', async (name, method, path, body) => {
    const { key: apiKey } = await api.makeKey('write admin');
    const query = new URLSearchParams({ apiKey, ...(body === undefined && { [name]: MARKS.slice(14_700, 16_300) }) });
    await expectTooLong(name, () => api.sendBare(method, `/api/${path}?${query}`, body));
  });
});
