import { beforeAll, describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { adminUser } from '../../../src/platform/api/resources.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';
import { usePortal } from '../../support/use-portal.ts';

/** The rows of the table of a page, as words. */
const rowsOf = (html: string): readonly string[] =>
  (/<tbody[\s\S]*<\/tbody>/.exec(html)?.[0] ?? '')
    .split('<tr ')
    .slice(1)
    .map((row) =>
      row
        .replace(/^[^>]*>/, '')
        .replace(/<svg[\s\S]*?<\/svg>/g, '')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
        .replace(/^\d+ s ago /, ''),
    );

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const { portal, visitor } = usePortal(databases, undefined, { 'x-request-id': '-1+1' });
  beforeAll(async () => {
    await portal.visitor({ 'x-request-id': '-1+1' }).signIn('root', 'wrong');
    await visitor.get('/portal/industries/add');
    for (const name of ['Shipping', '=HYPERLINK("x")']) {
      await visitor.post('/portal/industries/add', { IndustryName: name, ImagePath: 'a.png' });
      await visitor.get('/portal/industries/add');
    }
  });

  it('the audit log shows who changed what, the newest first, and leads to the record', async () => {
    const { html } = await visitor.get('/portal/audit-log');
    const rows = rowsOf(html);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toBe(
      'add industry =HYPERLINK(&quot;x&quot;) root , session 192.0.2.1 Industry name: =HYPERLINK(&quot;x&quot;) Image path: a.png Deleted: no Request -1+1',
    );
    expect(rows[2]).toMatch(/add admin user root command line/);
    expect(rows[2]).toContain('Password: set');
    expect(html).toContain('<a href="/portal/industries/2">industry =HYPERLINK(&quot;x&quot;)</a>');
  });

  it.each([
    ['Resource=AdminUser', ['add admin user root']],
    ['Resource=Industry&RecordID=1', ['add industry Shipping']],
    [
      'UserID=1&IP=192.0.2.1&since=2020-01-01&until=2099-01-01&RequestID=-1%2B1',
      ['add industry =HYPERLINK', 'add industry Shipping'],
    ],
    ['IP=192.0.2.9', []],
    ['until=2020-01-01', []],
    ['Action=revoke', []],
  ])('the filter %s leaves what it says, on the page and in the file', async (query, found) => {
    const { html } = await visitor.get(`/portal/audit-log?${query}`);
    const rows = rowsOf(html);
    expect(rows).toEqual(found.map((start) => expect.stringMatching(new RegExp(`^${start}`))));
    const link = /href="(\/portal\/audit-log\/csv[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const file = await visitor.get(link);
    expect(file.html.trim().split('\r\n')).toHaveLength(1 + found.length);
  });

  it('a filter that makes no sense is refused in the words of the API, and keeps what was typed', async () => {
    const page = await visitor.get('/portal/audit-log?UserID=%3Cb%3E');
    expect(page.status).toBe(400);
    expect(page.words).toContain('UserID must be an integer. Code 1003');
    expect(page.html).toContain('value="&lt;b&gt;"');
    expect((await visitor.get('/portal/audit-log/csv?since=soon')).words).toContain('Code 1009');
  });

  it('the file has a column for each member, and no cell is a formula', async () => {
    const { html: text, headers } = await visitor.get('/portal/audit-log/csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="subnetd-audit-log-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    const [head, newest] = text.replace(/^\ufeff/, '').split('\r\n');
    expect(head).toBe('AuditID,Date,Action,Resource,RecordID,StatedBy,UserID,Credential,IP,RequestID,Changes');
    // The id of the request begins like a formula.
    expect(newest).toMatch(/^\d+,\d{4}-[^,]+Z,add,Industry,2,1,1,session,192\.0\.2\.1,'-1\+1,"\{""IndustryName""/);
  });

  it('the security log shows sign-ins and refusals, and nothing that was typed', async () => {
    await expect.poll(async () => rowsOf((await visitor.get('/portal/security-log')).html).length).toBe(2);
    const { html } = await visitor.get('/portal/security-log');
    expect(rowsOf(html)).toEqual([
      expect.stringMatching(/^sign-in refused admin user root nobody 192\.0\.2\.1 Request -1\+1$/),
      expect.stringMatching(/^sign-in admin user root root , password 192\.0\.2\.1 Request -1\+1$/),
    ]);
    expect(html).not.toContain('wrong');
    const refused = await visitor.get('/portal/security-log?Action=sign-in+refused');
    expect(rowsOf(refused.html)).toHaveLength(1);
  });

  it('fifty events are on a page, which leads to the older ones and back', async () => {
    const author = { statedBy: 1, owner: 1, credential: 'key 7', at: '2026-01-31T12:00:00.000Z', ip: null };
    for (let i = 0; i < 51; i += 1)
      await portal.store.addKey({ name: `key ${i}`, scopes: ['read'], owner: 1, hash: `h${i}`, hint: 'h' }, author);
    const { html } = await visitor.get('/portal/audit-log?Resource=ApiKey');
    expect(rowsOf(html)).toHaveLength(50);
    const older = /href="([^"]*after=\d+)">Older/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const last = await visitor.get(older);
    expect(rowsOf(last.html)).toHaveLength(1);
    expect(last.html).not.toContain('>Older<');
    expect(last.html).toContain('<a href="/portal/audit-log?Resource=ApiKey">Newest</a>');
    expect((await visitor.get('/portal/audit-log/csv')).html.trim().split('\r\n')).toHaveLength(1 + 54);
  });

  it('a file of more events than are read at once has them all', async () => {
    const event = { action: 'slowed', subject: undefined, owner: null, credential: 'several', ip: null } as const;
    const events = Array.from({ length: 1_100 }, (_, count) => ({
      ...event,
      ...{ at: '2026-01-31T12:00:00.000Z', requestId: null, count: count + 1 },
    }));
    await portal.store.addSecurityEvents(events);
    const { html } = await visitor.get('/portal/security-log/csv?Action=slowed');
    const counts = [...html.matchAll(/""to"":(\d+)/g)].map(([, to]) => Number(to));
    expect(counts).toEqual(
      events
        .map(({ count }) => count)
        .filter((count) => count > 1)
        .reverse(),
    );
  });

  it('one-time codes are named by their user, and lead to that page', async () => {
    const author = { ...onCommandLine(Date.now()), owner: 1 };
    await portal.store.startCodes(1, 'sealed');
    await portal.store.confirmCodes(1, { secret: 'sealed', hashes: ['hash'] }, author);
    await portal.store.removeCodes(1, author);
    const { html } = await visitor.get('/portal/audit-log?Resource=OneTimeCodes');
    expect(rowsOf(html)).toEqual([
      expect.stringMatching(/^remove one-time codes root /),
      expect.stringMatching(/^enrol one-time codes root /),
    ]);
    expect(html).toContain('<a href="/portal/users/1">one-time codes root</a>');
    expect(html).toContain('<option value="OneTimeCodes" selected>one-time codes</option>');
    expect(html).toContain('<option value="renew">renew</option>');
  });

  it('a sector and a key are called by name, and the industry of a sector by its name alone', async () => {
    await visitor.get('/portal/sectors/add');
    await visitor.post('/portal/sectors/add', { SkillName: 'Freight', ImagePath: 'f.png', IndustryName: 'Shipping' });
    await visitor.get('/portal/keys');
    await visitor.post('/portal/keys/add', { Name: 'billing', read: 'true', Ends: '30' });
    const { html } = await visitor.get('/portal/audit-log');
    expect(rowsOf(html).slice(0, 2)).toEqual([
      expect.stringMatching(/^add API key billing \(\d+\) root , session/),
      expect.stringMatching(/^add sector Freight root , .* Image path: f\.png Industry: Shipping Deleted: no Request/),
    ]);
    expect(html).not.toContain('Industry ID');
  });

  it('the names of several records are read at once, without those that are not there', async () => {
    expect(await portal.store.findNames(adminUser, [1, 99])).toEqual(new Map([[1, 'root']]));
    expect(await portal.store.findNames(adminUser, [])).toEqual(new Map());
  });

  it('nobody reads a log without a session', async () => {
    const visitor = portal.visitor();
    for (const path of ['/portal/audit-log', '/portal/security-log', '/portal/audit-log/csv']) {
      await visitor.get(path);
      expect(visitor.path()).toMatch(/^\/portal\/sign-in/);
    }
  });
});
