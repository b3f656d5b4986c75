import { describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { adminUser, industry } from '../../../src/platform/api/resources.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';
import { usePortal } from '../../support/use-portal.ts';

const MINUTE = 60_000;
/** A page that needs a sign-in. */
const INSIDE = /^\/portal\/(?!sign-in)/;
const GRACE = {
  FirstName: 'Grace',
  LastName: 'Hopper',
  UserName: 'grace',
  Password: 'a long sentence',
  EmailID: 'grace@example.com',
  IsActive: 'true',
};
/** What a page gives back of its form, as a browser sends it. */
const formOf = (html: string): Record<string, string> => {
  const form = /<form class="form" id="record"[\s\S]*?<\/form>/.exec(html)?.[0] ?? '';
  const inputs = [...form.matchAll(/<input [^>]*name="(\w+)"[^>]*>/g)].filter(
    ([tag]) => !tag.includes('type="checkbox"') || tag.includes(' checked'),
  );
  const values = inputs.map(([tag, name = '']) => [
    name,
    (/ value="([^"]*)"/.exec(tag)?.[1] ?? '').replaceAll('&quot;', '"'),
  ]);
  const selects = [...form.matchAll(/<select [^>]*name="(\w+)"[\s\S]*?<\/select>/g)];
  const chosen = selects.map(([tag, name = '']) => [name, /value="([^"]*)" selected/.exec(tag)?.[1] ?? '']);
  return Object.fromEntries([...values, ...chosen]);
};

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  // The lock after failed sign-ins is on with their limit.
  const settings = { limits: { rate: 0, burst: 0, signIns: 1_000 } };
  const { portal, visitor } = usePortal(databases, { settings });

  it('with no industry, the form of a sector leads to adding one, and empty lists say what they are for', async () => {
    const { words, html } = await visitor.get('/portal/sectors/add');
    expect(words).toContain('Each sector belongs to an industry, and there is none in use. Add an industry first.');
    expect(html).toContain('<a href="/portal/industries/add">');
    expect(html).not.toContain('id="record"');
    for (const [path, text] of [
      ['sectors', 'No sectors yet. They divide an industry, such as Freight within Shipping. Add one'],
      ['project-types', 'No project types yet. They are the contract types that a project can have'],
    ])
      expect((await visitor.get(`/portal/${path}`)).words).toContain(text);
  });

  it('a field says what people call it, with its name in the API beside', async () => {
    expect((await visitor.get('/portal/project-types/add')).words).toContain('Contract type ContractName');
    expect((await visitor.get('/portal/users/1')).words).toContain(
      'Mobile number MobileNo : none. Users set their own, under Your account.',
    );
  });

  it('an industry is added, found in its list, changed and deleted, and its page says who did what', async () => {
    const empty = await visitor.get('/portal/industries');
    expect(empty.words).toContain(
      '0 industries No industries yet. They group sectors, such as Shipping, so every sector needs one. Add one',
    );
    await visitor.get('/portal/industries/add');
    const added = await visitor.post('/portal/industries/add', { IndustryName: 'Shipping', ImagePath: 'images/a.png' });
    expect(visitor.path()).toBe('/portal/industries/1?done=added');
    expect(added.words).toContain('The industry was added.');
    expect(formOf(added.html)).toMatchObject({ IndustryName: 'Shipping', ImagePath: 'images/a.png' });

    const changed = { ...formOf(added.html), IndustryName: 'Rail <b>', IsDeleted: 'true' };
    const saved = await visitor.post('/portal/industries/1', changed);
    expect(visitor.path()).toBe('/portal/industries/1?done=saved');
    expect(saved.words).toContain('The industry was saved.');
    expect(saved.words).toMatch(
      /Who changed what .* 0 s ago update root, session 192\.0\.2\.1 Industry name: Shipping → Rail &lt;b&gt; Deleted: no → yes 0 s ago add root, session 192\.0\.2\.1 Industry name: Rail|Industry name: Shipping/,
    );
    expect(saved.html).not.toContain('Rail <b>');
    expect(await portal.store.find(industry, 1)).toMatchObject({ IsDeleted: true, CreateBy: 1, UpdateBy: 1 });
    const list = await visitor.get('/portal/industries');
    expect(list.words).toContain('1 industry');
    expect(list.words).toMatch(/Rail &lt;b&gt; deleted images\/a\.png \d s ago/);
  });

  it('a refusal has the words and the code of the API beside its field, and loses nothing that was typed', async () => {
    await visitor.get('/portal/industries/add');
    const refused = await visitor.post('/portal/industries/add', { IndustryName: 'Ports', ImagePath: '/etc/passwd' });
    expect(refused.status).toBe(409);
    expect(refused.html).toContain('<title>Error: Add an industry, portal (subnetd)</title>');
    expect(refused.html).toContain('href="#record-ImagePath"');
    expect(refused.html).toMatch(
      /<p class="error" id="record-ImagePath-error">Image path must be a relative path[^<]*<a href="\/docs\/codes#code-1012">Code 1012<\/a>/,
    );
    expect(refused.html).toMatch(
      /id="record-ImagePath"[^>]*aria-describedby="record-ImagePath-error record-ImagePath-hint" aria-invalid="true"/,
    );
    expect(formOf(refused.html)).toMatchObject({ IndustryName: 'Ports', ImagePath: '/etc/passwd' });
    const empty = await visitor.post('/portal/industries/add', { IndustryName: ' ', ImagePath: 'a.png' });
    expect([empty.status, empty.words]).toEqual([
      400,
      expect.stringContaining('Industry name is empty; give it a value.'),
    ]);
    const twice = await visitor.post('/portal/industries/add', { IndustryName: 'Rail <b>', ImagePath: 'a.png' });
    expect(twice.words).toContain(
      'Industry name is taken by a deleted industry; choose another, or to restore that one, update it (IndustryID 1) with Deleted false.',
    );
  });

  it('a sector chooses its industry among those in use, keeps one that was deleted since, and can then be deleted', async () => {
    for (const IndustryName of ['Mining', 'Ports']) {
      await visitor.get('/portal/industries/add');
      await visitor.post('/portal/industries/add', { IndustryName, ImagePath: 'a.png' });
    }
    const { html } = await visitor.get('/portal/sectors/add');
    expect([...html.matchAll(/<option value="([^"]*)"/g)].map(([, name]) => name)).toEqual(['', 'Mining', 'Ports']);
    const added = await visitor.post('/portal/sectors/add', {
      SkillName: 'Ore',
      ImagePath: 'o.png',
      IndustryName: 'Mining',
    });
    expect(visitor.path()).toBe('/portal/sectors/1?done=added');
    expect(added.words).toContain('Sector name: Ore Image path: o.png Industry: Mining Deleted: no');
    expect(formOf(added.html).IndustryName).toBe('Mining');
    const [mining] = (await portal.store.search(industry, { search: 'Mining', offset: 0, limit: 1 })).items;
    const values = { IsDeleted: true };
    const author = onCommandLine(Date.now());
    await portal.store.update({ resource: industry, id: Number(mining?.IndustryID), values, author });
    const kept = formOf((await visitor.get('/portal/sectors/1')).html);
    expect(kept.IndustryName).toBe('Mining');
    const deleted = await visitor.post('/portal/sectors/1', { ...kept, IsDeleted: 'true' });
    expect(deleted.words).toContain('The sector was saved.');
    const none = await visitor.post('/portal/sectors/add', { SkillName: 'X', ImagePath: 'o.png', IndustryName: '' });
    expect(none.words).toContain('Industry is empty; give it a value.');
  });

  it('an admin user is added with a password, and changed without one', async () => {
    await visitor.get('/portal/users/add');
    const added = await visitor.post('/portal/users/add', GRACE);
    expect(visitor.path()).toBe('/portal/users/2?done=added');
    expect(added.words).toContain('Password: set');
    expect(added.html).not.toMatch(/type="password"|a long sentence|argon2/);
    const saved = await visitor.post('/portal/users/2', { ...formOf(added.html), LastName: 'Murray' });
    expect(saved.words).toContain('Last name: Hopper → Murray');
    const grace = portal.visitor();
    await grace.signIn('grace', 'a long sentence');
    expect(grace.path()).toMatch(INSIDE);
    const taken = await visitor.post('/portal/users/add', { ...GRACE, EmailID: 'other@example.com' });
    expect([taken.status, taken.words]).toEqual([409, expect.stringContaining('Code 1103')]);
    expect(taken.html).not.toContain('a long sentence');
    const { IsActive: _, ...inactive } = formOf((await visitor.get('/portal/users/2')).html);
    await visitor.post('/portal/users/2', inactive);
    await grace.get('/portal/users');
    expect(grace.path()).toMatch(/^\/portal\/sign-in/);
    const root = formOf((await visitor.get('/portal/users/1')).html);
    const last = await visitor.post('/portal/users/1', { ...root, IsActive: '' });
    expect(last.words).toContain('Active: this is the last active admin user; activate another one first.');
  });

  it('a change of an admin user asks for the password again some time after the sign-in', async () => {
    const own = portal.visitor();
    await own.signIn();
    const form = formOf((await own.get('/portal/users/2')).html);
    portal.wait(16 * MINUTE);
    const asked = await own.post('/portal/users/2', { ...form, FirstName: 'Never' });
    expect(own.path()).toBe('/portal/sign-in?next=%2Fportal%2Fusers%2F2&again=1');
    expect(asked.words).toContain('Confirm that it is you');
    expect(asked.words).toContain('Nothing has changed yet.');
    const next = /name="next" value="([^"]*)"/.exec(asked.html)?.[1] ?? '';
    await own.post('/portal/sign-in', { UserName: 'root', Password: 'correct horse battery', next, again: '1' });
    expect(own.path()).toBe('/portal/users/2');
    const unchanged = formOf((await own.get('/portal/users/2')).html);
    expect(unchanged.FirstName).toBe('Grace');
    await own.post('/portal/users/2', { ...unchanged, FirstName: 'Now' });
    expect(own.path()).toBe('/portal/users/2?done=saved');
    await visitor.signIn();
  });

  it('a form that somebody else was faster than changes nothing, and shows what they did', async () => {
    const before = formOf((await visitor.get('/portal/industries/1')).html);
    await visitor.post('/portal/industries/1', { ...before, ImagePath: 'first.png' });
    const late = await visitor.post('/portal/industries/1', { ...before, ImagePath: 'second.png' });
    expect([late.status, late.words]).toEqual([
      409,
      expect.stringContaining('This record has changed since you opened it'),
    ]);
    expect(formOf(late.html).ImagePath).toBe('first.png');
    // A refusal between the two does not make the form newer.
    const wrong = await visitor.post('/portal/industries/1', { ...before, ImagePath: '/x' });
    expect(wrong.words).toContain('Image path must be a relative path');
    expect((await visitor.post('/portal/industries/1', { ...formOf(wrong.html), ImagePath: 'x' })).status).toBe(409);
    for (const seen of ['', '*', '"x"\n'])
      expect((await visitor.post('/portal/industries/1', { ...formOf(late.html), seen })).status).toBe(409);
    const again = await visitor.post('/portal/industries/1', { ...formOf(late.html), ImagePath: 'second.png' });
    expect([again.status, formOf(again.html).ImagePath]).toEqual([200, 'second.png']);
  });

  it('a list is searched, filtered, sorted and cut into pages by its address', async () => {
    const author = { ...onCommandLine(Date.now()), statedBy: 1 };
    for (let number = 1; number <= 60; number += 1)
      await portal.store.add(
        industry,
        { IndustryName: `Many ${String(number).padStart(2, '0')}`, ImagePath: 'x', IsDeleted: number > 58 },
        author,
      );
    const one = await visitor.get('/portal/industries?search=many+01');
    expect(one.words).toMatch(/Many 01 in use x [\d hmins]+ ago by root/);
    expect(one.html).toContain('<a href="/portal/audit-log?Resource=Industry">Who changed what</a>');
    const names = async (query: string) => {
      const { html } = await visitor.get(`/portal/industries?${query}`);
      return [...html.matchAll(/role="rowheader"><a[^>]*>([^<]*)/g)].map(([, name]) => name);
    };
    expect(await names('search=many+0&sort=-IndustryName')).toEqual(
      [9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `Many 0${n}`),
    );
    expect(await names('search=many&state=unused')).toEqual(['Many 59', 'Many 60']);
    expect(await names('search=many&page=2')).toHaveLength(10);
    const { words, html } = await visitor.get('/portal/industries?search=many&page=2');
    expect(words).toContain('60 industries');
    expect(words).toContain('51 to 60 of 60 Previous');
    expect(html).toContain('href="/portal/industries?search=many&amp;sort=IndustryName"');
    // A page past the end, as of a list that had more records, is the last one.
    expect((await visitor.get('/portal/industries?search=many&page=5')).words).toContain('51 to 60 of 60 Previous');
    expect(visitor.path()).toBe('/portal/industries?search=many&sort=IndustryName&page=2');
    expect((await visitor.get('/portal/industries?search=nothing+like+it&page=2')).words).toContain('0 industries');
    expect(await names('sort=Password&page=-1&state=x')).toHaveLength(50);
    expect((await visitor.get('/portal/industries?search=nothing+like+it')).words).toContain('No matching industries.');
    expect(html).toMatch(/aria-sort="ascending"><a href="[^"]*sort=-IndustryName"/);
    // Neither a character that PostgreSQL cannot take, nor a name that every object has, breaks a page.
    expect(await names('search=many+%0001')).toEqual(['Many 01']);
    expect((await visitor.get('/portal/industries/1?done=constructor')).words).not.toContain('native code');
  });

  it('an admin ends the wait of another one after failed sign-ins', async () => {
    await visitor.get('/portal/users/add');
    await visitor.post('/portal/users/add', { ...GRACE, UserName: 'ada', EmailID: 'ada@example.com' });
    const ada = portal.visitor();
    for (let tries = 0; tries < 10; tries += 1) await ada.signIn('ada', 'not this one');
    expect((await ada.signIn('ada', GRACE.Password)).words).toContain('Code 1102');
    const path = visitor.path().replace(/\?.*/, '');
    const unlocked = await visitor.post(`${path}/unlock`);
    expect([visitor.path(), unlocked.words]).toEqual([
      `${path}?done=unlock`,
      expect.stringContaining('The failed sign-ins were cleared.'),
    ]);
    await ada.signIn('ada', GRACE.Password);
    expect(ada.path()).toMatch(INSIDE);
    const refused = await visitor.post('/portal/users/2/unlock');
    expect([refused.status, refused.words]).toEqual([500, expect.stringContaining('That admin user is inactive')]);
    expect((await visitor.post('/portal/users/999/unlock')).status).toBe(404);
  });

  it('an admin removes the one-time codes of another one, not the own', async () => {
    const author = onCommandLine(Date.now());
    const { items } = await portal.store.search(adminUser, { search: 'ada', offset: 0, limit: 1 });
    const ada = Number(items[0]?.UserID);
    const enrol = async (id: number) => {
      await portal.store.startCodes(id, 'sealed');
      await portal.store.confirmCodes(id, { secret: 'sealed', hashes: ['hash'] }, author);
    };
    await enrol(ada);
    await visitor.get('/portal/users/1');
    const refused = await visitor.post('/portal/users/1/remove-codes');
    expect([refused.status, refused.words]).toEqual([409, expect.stringContaining('UserID is your own')]);
    expect((await visitor.get(`/portal/users/${ada}`)).words).toContain('Remove one-time codes');
    const removed = await visitor.post(`/portal/users/${ada}/remove-codes`);
    expect(removed.words).toContain('The one-time codes were removed.');
    expect(removed.words.match(/Remove one-time codes/)).toBeNull();
    expect(await portal.store.findCodes(ada)).toBeUndefined();
    await enrol(1);
    expect((await visitor.get('/portal/users/1')).words).not.toContain('Remove one-time codes');
    const asked = await portal.visitor().signIn();
    expect(asked.html).toMatch(/<p class="error" id="sign-in-Otp-error">[^<]* <a href="\/docs\/codes#code-1122">/);
    await portal.store.removeCodes(1, author);
  });

  it.each([
    ['/portal/industries/999', 404, 'There is no industry with that id.'],
    ['/portal/users/999', 404, 'There is no admin user with that id. Code 1121'],
    ['/portal/users/9999999999', 404, 'There is no admin user with that id.'],
    ['/portal/nothing', 404, 'The portal has no such page.'],
  ])('%s is answered with %i', async (path, status, words) => {
    const answer = await visitor.get(path);
    expect([answer.status, answer.words]).toEqual([status, expect.stringContaining(words)]);
  });
});
