import { beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey, makeApiKey } from '../../../src/platform/api/api-key.ts';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';
import { usePortal } from '../../support/use-portal.ts';

const DAY = 24 * 60 * 60_000;
const KEY = /subnetd_[\w-]{43}/;

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const { portal, visitor } = usePortal(databases, { settings: { limits: { rate: 1, burst: 120, signIns: 0 } } });
  beforeAll(async () => {
    await visitor.get('/portal/keys');
  });
  const make = (Name: string, more: Record<string, string> = { read: 'true', Ends: '182' }) =>
    visitor.post('/portal/keys/add', { Name, ...more });
  const idOf = async (name: string) => (await portal.store.listKeys()).findLast((key) => key.name === name)?.id;
  const use = async (key: string) => {
    const request = new Request(`http://api.test/api/Sector/ListAll/0?apiKey=${key}`);
    return (await portal.platform.answer({ request, remoteAddress: '192.0.2.9' })).status;
  };

  it('the list says that there is none, and how to make one', async () => {
    expect((await visitor.get('/portal')).words).toContain('API keys');
    expect(visitor.path()).toBe('/portal/keys');
    const { words, html } = await visitor.get('/portal/keys');
    expect(words).toContain('0 keys No valid keys. A program needs one to call the API: create it below.');
    expect(words).toContain('None in the last 90 days.');
    expect(html).toMatch(/<a class="btn primary" href="#new-Name">Create a key<\/a>[\s\S]*<input id="new-Name"/);
  });

  it('a key is shown once, with what it may do, and then known by its start', async () => {
    const made = await make('billing', { read: 'true', operate: 'true', Ends: '182' });
    const key = KEY.exec(made.html)?.[0] ?? '';
    const end = new Date(Date.now() + 182 * DAY).toISOString().slice(0, 10);
    expect(made.words).toContain('Key “billing” was created. Copy it now: it is shown only once.');
    expect(made.words).toContain(`Scope read, operate, ends ${end}.`);
    expect(made.html).toContain(`data-copy="${key}"`);
    expect(made.headers.get('cache-control')).toBe('no-store');
    for (let time = 0; time < 20; time += 1) expect(await use(key)).toBe(200);
    const { html, words } = await visitor.get('/portal/keys');
    expect(html).not.toMatch(KEY);
    expect(words).toContain(`billing ${key.slice(0, 12)}… active read, operate`);
    // One comes back each second.
    expect(words).toMatch(new RegExp(`1[01]\\d of 120 ${end} Rotate billing Revoke billing`));
    await expect.poll(async () => (await visitor.get('/portal/keys')).words).toMatch(/operate \d+ s ago 192\.0\.2\.9/);
    expect((await portal.store.searchAudit({ limit: 99 })).at(-1)).toMatchObject({ owner: 1 });
  });

  it.each([
    ['', { read: 'true' }, 'Name is empty; give it a value. Code 1002'],
    ['x', {}, 'Choose at least one scope. Code 1002'],
    ['a\u202eb', { read: 'true' }, 'Name contains an invisible or unsupported character'],
  ])('a key named %j with %j is refused in the words of the API', async (name, more, text) => {
    const before = (await portal.store.listKeys()).length;
    const refused = await make(name, more);
    expect([refused.status >= 400, refused.html.includes('<title>Error: API keys')]).toEqual([true, true]);
    expect(refused.words).toContain(text);
    expect(await portal.store.listKeys()).toHaveLength(before);
  });

  it('a key that ends soon is announced, and rotating it shows its successor once', async () => {
    const old = makeApiKey();
    const expiresAt = new Date(Date.now() + 5 * DAY + 60_000).toISOString();
    const fresh = { name: 'reports', scopes: ['read'], owner: 1, hash: hashApiKey(old), expiresAt } as const;
    const id = await portal.store.addKey(fresh, onCommandLine(Date.now() - 25 * DAY));
    expect((await visitor.get('/portal/keys')).words).toMatch(
      /Key “reports” ends in 5 days ?\. Rotate it ?: the old key stays valid for as long as you choose\./,
    );
    const page = await visitor.get(`/portal/keys/${id}`);
    expect(page.words).toContain('reports API key');
    expect(page.words).toContain('Owner root');
    expect(page.words).toContain('Owner: root');
    const rotated = await visitor.post(`/portal/keys/${id}/rotate`, { KeepHours: '8', Ends: 'same' });
    const next = KEY.exec(rotated.html)?.[0] ?? '';
    expect(rotated.words).toMatch(new RegExp(`Key \\d+ replaces key ${id}\\..*The old one is valid until`));
    expect([await use(old), await use(next)]).toEqual([200, 200]);
    const { words, html } = await visitor.get('/portal/keys');
    expect(html).not.toMatch(KEY);
    expect(words).toContain('rotated read');
    expect(words).toMatch(/in (?:8 h|7 h 59 min) Revoke reports/);
    const after = await visitor.get(`/portal/keys/${id}`);
    expect(after.words).toMatch(/Rotated to key \d+/);
    expect(after.html).not.toContain('Rotate key');
  });

  it('a refused rotation is said on the page of the key', async () => {
    await make('refused');
    const id = await idOf('refused');
    const refused = await visitor.post(`/portal/keys/${id}/rotate`, { KeepHours: '25' });
    expect([refused.status, refused.words]).toEqual([400, expect.stringContaining('KeepHours must be from 0 to 24.')]);
    expect((await visitor.post(`/portal/keys/${id}/rotate`, { KeepHours: 'x' })).words).toContain(
      'KeepHours must be an integer.',
    );
  });

  it('a revoked key ends at once, and stays listed for 90 days with who ended it', async () => {
    const key = KEY.exec((await make('deploy')).html)?.[0] ?? '';
    const id = await idOf('deploy');
    const done = await visitor.post(`/portal/keys/${id}/revoke`);
    expect(visitor.path()).toBe('/portal/keys?done=revoked');
    expect(done.words).toContain('The key was revoked.');
    expect(done.words).toMatch(/deploy subnetd_[\w-]{4}… revoked \d+ s ago root/);
    expect(await use(key)).toBe(400);
    const page = await visitor.get(`/portal/keys/${id}`);
    expect(page.words).toContain('An ended key cannot be restored.');
    expect(page.words).toMatch(/revoke root, session 192\.0\.2\.1/);
    expect(page.html).not.toContain('Revoke key');
  });

  it('the page of a key says what it did in seven days, with the ids of the requests, and what it may still do', async () => {
    const key = KEY.exec((await make('reporter')).html)?.[0] ?? '';
    const id = await idOf('reporter');
    expect((await visitor.get(`/portal/keys/${id}`)).words).toContain('What it did No requests in the last 7 days.');
    const ask = (path: string, requestId: string) => {
      const headers = { 'x-api-key': key, 'x-request-id': requestId };
      const request = new Request(`http://api.test/api${path}`, { headers });
      return portal.platform.answer({ request, remoteAddress: '192.0.2.9' });
    };
    for (const [path, requestId] of [
      ['/Sector/ListAll/0?search=hush', 'first'],
      ['/Sector/ListAll/0', 'second'],
      ['/Sector/ListAll/none', 'third'],
    ] as const)
      await ask(path, requestId);
    const { words, html } = await visitor.get(`/portal/keys/${id}`);
    expect(words).toContain('What they sent is not kept. 2 with HTTP 200, 1 with HTTP 400.');
    expect(words).toMatch(/\d{4}-\d\d-\d\d HTTP 400 Code 1003 GET \/Sector\/ListAll\/\{id\} 1 \d+ s ago third/);
    expect(words).toMatch(/\d{4}-\d\d-\d\d HTTP 200 GET \/Sector\/ListAll\/\{id\} 2 \d+ s ago second first/);
    expect(words).toMatch(/Allowed from any address Calls left 11\d of 120/);
    expect(html).not.toMatch(/hush|192\.0\.2\.9.*What it did/);
  });

  it('a key is limited to addresses when it is made, and later on its page', async () => {
    const made = await make('shop', { read: 'true', Ends: '30', AllowedIPs: '192.0.2.0/24, 2001:db8::/32' });
    const key = KEY.exec(made.html)?.[0] ?? '';
    const id = await idOf('shop');
    expect(await use(key)).toBe(200);
    const page = await visitor.get(`/portal/keys/${id}`);
    expect(page.words).toContain('Allowed from 192.0.2.0/24, 2001:db8::/32');
    expect(page.html).toContain('value="192.0.2.0/24 2001:db8::/32"');
    expect(page.words).toContain('Empty allows any. Yours is 192.0.2.1.');
    const wrong = await visitor.post(`/portal/keys/${id}/restrict`, { AllowedIPs: '192.0.2.0/99' });
    expect([wrong.status, wrong.words]).toEqual([
      409,
      expect.stringContaining('Allowed addresses: each must be an IPv4 or IPv6 address, or a network'),
    ]);
    expect(wrong.html).toMatch(/id="restriction-AllowedIPs"[^>]*value="192\.0\.2\.0\/99"/);
    const saved = await visitor.post(`/portal/keys/${id}/restrict`, { AllowedIPs: '203.0.113.7' });
    expect([visitor.path(), saved.words]).toEqual([
      `/portal/keys/${id}?done=restricted`,
      expect.stringContaining('The allowed addresses were saved.'),
    ]);
    expect(saved.words).toContain('Allowed addresses: 192.0.2.0/24 2001:db8::/32 → 203.0.113.7');
    expect(await use(key)).toBe(403);
    await visitor.post(`/portal/keys/${id}/restrict`, { AllowedIPs: '' });
    expect(await use(key)).toBe(200);
  });

  it('what is not there is said so', async () => {
    const { status, words } = await visitor.get('/portal/keys/999');
    expect([status, words]).toEqual([404, expect.stringContaining('There is no API key 999')]);
    expect((await visitor.post('/portal/keys/999/revoke')).status).toBe(404);
  });

  it('a key is made only with the token of the session, and after a fresh sign-in', async () => {
    const before = (await portal.store.listKeys()).length;
    await visitor.get('/portal/keys');
    expect((await visitor.post('/portal/keys/add', { Name: 'x', read: 'true', csrf: 'wrong' })).status).toBe(403);
    await visitor.get('/portal/keys');
    portal.wait(16 * 60_000);
    await make('late');
    expect(visitor.path()).toMatch(/^\/portal\/sign-in\?/);
    expect(await portal.store.listKeys()).toHaveLength(before);
  });
});
