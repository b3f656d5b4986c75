import { describe, expect, it } from 'vitest';
import { createTokens } from '../../../src/platform/api/create-tokens.ts';

const HOUR = 60 * 60 * 1000;
const claims = { userId: 7, scopes: ['read'], keyId: 3, passwordVersion: 1 } as const;
const read = { ...claims, id: expect.any(String), expiresAt: expect.any(String) };

describe('tokens', () => {
  it('a token is good for 24 hours and no longer, whether it was used before or not', async () => {
    let now = Date.UTC(2026, 0, 1);
    const tokens = await createTokens('secret', () => now);
    const [used, unused] = [await tokens.issue(claims), await tokens.issue(claims)];
    expect(used.expiresAt).toBe('2026-01-02T00:00:00.000Z');
    expect(await tokens.read(used.token)).toEqual(read);
    now += 24 * HOUR - 1;
    expect(await tokens.read(used.token)).toEqual(read);
    now += 1;
    expect(await tokens.read(used.token)).toBeUndefined();
    expect(await tokens.read(unused.token)).toBeUndefined();
  });

  it('a token of another secret is refused each time', async () => {
    const tokens = await createTokens('secret', () => 0);
    const { token } = await (await createTokens('another', () => 0)).issue(claims);
    expect(await tokens.read(token)).toBeUndefined();
    expect(await tokens.read(token)).toBeUndefined();
  });

  it('a token has one spelling: with other bits that its signature does not use, it is refused', async () => {
    const tokens = await createTokens('secret', () => 0);
    const { token } = await tokens.issue(claims);
    const signatureOf = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url');
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_='].map((last) =>
      [token.slice(0, -1) + last, token + last].filter((other) => signatureOf(other).equals(signatureOf(token))),
    );
    const spellings = others.flat().filter((other) => other !== token);
    expect(spellings.length).toBeGreaterThanOrEqual(3);
    for (const other of spellings) expect(await tokens.read(other), other).toBeUndefined();
    expect(await tokens.read(token)).toEqual(read);
    for (const other of spellings) expect(await tokens.read(other), other).toBeUndefined();
  });

  it('a token stays good however many others are used after it', async () => {
    const tokens = await createTokens('secret', () => 0);
    const first = await tokens.issue(claims);
    for (let userId = 1; userId <= 1_001; userId += 1) {
      const other = await tokens.issue({ ...claims, userId });
      expect((await tokens.read(other.token))?.userId).toBe(userId);
    }
    expect(await tokens.read(first.token)).toEqual(read);
  });

  it('a token says when it ends, and when its sign-in showed a one-time code', async () => {
    const tokens = await createTokens('secret', () => Date.UTC(2026, 0, 1));
    const [plain, coded] = [await tokens.issue(claims), await tokens.issue({ ...claims, hasCode: true })];
    const expiresAt = '2026-01-02T00:00:00.000Z';
    expect(await tokens.read(plain.token)).toEqual({ ...read, expiresAt });
    expect(await tokens.read(coded.token)).toEqual({ ...read, expiresAt, codeAt: Date.UTC(2026, 0, 1) });
  });
});
