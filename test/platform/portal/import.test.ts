import { describe, expect, it } from 'vitest';
import { industry, sector } from '../../../src/platform/api/resources.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';
import { usePortal } from '../../support/use-portal.ts';

const hiddenOf = (html: string, name: string): string =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'");

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const { portal, visitor } = usePortal(databases);
  const check = async (csv: string, path = '/portal/industries') => {
    await visitor.get(`${path}/import`);
    return visitor.post(`${path}/import/check`, { csv });
  };
  const run = (html: string, path = '/portal/industries') =>
    visitor.post(`${path}/import`, { csv: hiddenOf(html, 'csv'), shown: hiddenOf(html, 'shown') });
  const names = async () => {
    const { items } = await portal.store.search(industry, { offset: 0, limit: 99 });
    return items.map(({ IndustryName, ImagePath, IsDeleted }) => [IndustryName, ImagePath, IsDeleted]);
  };

  it('a file is checked first, row by row, without a change, and then imported by the rules of the API', async () => {
    const first = await check('IndustryName,ImagePath\r\nShipping,a.png\r\nRail,b.png\r\n');
    expect(first.words).toContain(
      '2 to add Row Outcome Industry name What 2 to add Shipping Industry name: Shipping Image path: a.png Deleted: no',
    );
    expect(first.words).toContain('Nothing has been written yet.');
    expect(await names()).toEqual([]);
    const done = await run(first.html);
    expect(done.words).toContain('2 added.');
    expect(await names()).toEqual([
      ['Shipping', 'a.png', false],
      ['Rail', 'b.png', false],
    ]);
    const rows = [
      ['1', 'Shipping', 'new.png', 'TRUE'],
      ['2', 'Rail', 'b.png', ''],
      ['', 'Ports', '/etc/passwd', ''],
      ['', 'Rail', 'c.png', ''],
      ['', 'Air', 'd.png', 'false'],
      ['', 'Air', 'e.png', 'false'],
      ['99', 'Sea', 'f.png', 'false'],
      ['x', 'Sea', 'f.png', 'false'],
      ['', '', 'f.png', 'false'],
    ].map((row) => row.join(';'));
    const checked = await check(`IndustryID;IndustryName;ImagePath;IsDeleted\n${rows.join('\n')}\n`);
    for (const text of [
      '1 to add, 1 to change, 1 unchanged, 6 refused',
      '2 to change Shipping Image path: a.png → new.png Deleted: no → yes',
      '3 unchanged Rail',
      '4 refused Ports ImagePath must be a relative path',
      '5 refused Rail IndustryName is taken; choose another, or update that record. Code 1012',
      '6 to add Air',
      '7 refused Air IndustryName is that of row 6 too; choose another. Code 1012',
      '8 refused Sea IndustryID: there is no industry with that id. Code 1004',
      '9 refused Sea IndustryID must be an integer',
      '10 refused IndustryName is empty; give it a value. Code 1002',
      'Import 2 rows',
    ])
      expect(checked.words).toContain(text);
    expect((await run(checked.html)).words).toContain('1 added, 1 changed, 1 unchanged, 6 refused.');
    expect(await names()).toEqual([
      ['Shipping', 'new.png', true],
      ['Rail', 'b.png', false],
      ['Air', 'd.png', false],
    ]);
    const [event] = await portal.store.searchAudit({ resource: 'Industry', recordId: 1, isDescending: true, limit: 1 });
    expect(event).toMatchObject({ action: 'update', owner: 1, statedBy: 1, credential: 'session', ip: '192.0.2.1' });
  });

  it('nothing is imported if the list has changed since the check, or if the check was never shown', async () => {
    const checked = await check('IndustryID,IndustryName\n2,Railways\n');
    expect(checked.words).toContain('Industry name: Rail → Railways');
    const { html } = await check('IndustryID,IndustryName\n2,Trains\n');
    await run(html);
    const again = await run(checked.html);
    expect(again.words).toContain('The list has changed since you checked the file. Nothing was written');
    expect(again.words).toContain('Industry name: Trains → Railways');
    expect((await run(again.html)).words).toContain('1 changed.');
    const csv = 'IndustryName,ImagePath\nNever,n.png\n';
    expect((await visitor.post('/portal/industries/import', { csv })).words).toContain('Nothing was written');
    expect((await names()).flat()).not.toContain('Never');
  });

  it('the file of a list can be imported again, and a text that looks like a formula survives it', async () => {
    await run((await check('IndustryName,ImagePath\n"=1+1, ""x""",f.png\n')).html);
    const { html, headers } = await visitor.get('/portal/industries/csv?state=used&sort=-IndustryName');
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(headers.get('content-disposition')).toMatch(/filename="subnetd-industries-\d{4}-\d\d-\d\d\.csv"/);
    const lines = html.replace('\ufeff', '').trim().split('\r\n');
    expect(lines[0]).toBe(
      'IndustryID,IndustryName,ImagePath,IsDeleted,CreateBy,CreateDate,CreateIP,UpdateBy,UpdateDate,UpdateIP',
    );
    expect(lines.slice(1).map((line) => line.replace(/(?:false|true),1,.*/, ''))).toEqual([
      ...['2,Railways,b.png,', '3,Air,d.png,', `4,"'=1+1, ""x""",f.png,`],
    ]);
    const same = await check(html);
    expect(same.words).toContain('3 unchanged');
    expect(same.words).toContain('There is nothing to import.');
  });

  it('a sector names its industry', async () => {
    const path = '/portal/sectors';
    const checked = await check(
      'SkillName,ImagePath,IndustryName\nCargo,c.png,Air\nFerries,f.png,Sea\nTugs,t.png,Shipping\n',
      path,
    );
    expect(checked.words).toContain('Sector name: Cargo Image path: c.png Industry: Air');
    expect(checked.words).toContain('IndustryName: no industry has that name; listIndustries lists them. Code 1004');
    expect(checked.words).toContain('IndustryName: that industry is deleted');
    await run(checked.html, path);
    expect(await portal.store.find(sector, 1)).toMatchObject({ SkillName: 'Cargo', IndustryName: 'Air' });
    const moved = await check('SectorID,IndustryName\n1,Railways\n', path);
    expect(moved.words).toContain('Industry: Air → Railways');
  });

  it.each([
    ['', 400, 'The file has no rows; it needs a line of headings, and a row for each record. Code 1002'],
    ['IndustryName,ImagePath\n', 400, 'The file has no rows'],
    [
      'IndustryName,Picture\na,b\n',
      409,
      'The file has an unknown column "Picture"; the columns are IndustryID, IndustryName, ImagePath and IsDeleted.',
    ],
    ['IndustryName,ImagePath\n"a,b\n', 409, 'Row 2 of the file is malformed'],
    ['IndustryName,ImagePath\na,b,c\n', 409, 'Row 2 of the file is malformed'],
    [`IndustryName\n${'a\n'.repeat(1_001)}`, 400, 'The file exceeds the maximum of 1000 rows; split it.'],
    [`IndustryName\n${'a'.repeat(481 * 1_024)}\n`, 400, 'The file exceeds the maximum of 491520 bytes; split it.'],
  ])('a file such as %.40j is refused as a whole', async (csv, status, text) => {
    const refused = await check(csv);
    expect([refused.status, refused.words]).toEqual([status, expect.stringContaining(text)]);
  });

  it('a file comes as browsers send it; one that is not UTF-8, or a larger form, is refused', async () => {
    const upload = async (bytes: Uint8Array<ArrayBuffer>) => {
      const { html } = await visitor.get('/portal/industries/import');
      const body = new FormData();
      body.set('csrf', hiddenOf(html, 'csrf'));
      body.set('csv', new File([bytes], 'list.csv', { type: 'text/csv' }));
      // As bytes, as they come from a socket: a stream of a form does not take it well to be left alone.
      const sent = new Response(body);
      const type = sent.headers.get('content-type') ?? '';
      const headers = { cookie: visitor.cookie(), origin: 'http://portal.test', 'content-type': type };
      const request = new Request('http://portal.test/portal/industries/import/check', {
        ...{ method: 'POST', body: await sent.arrayBuffer(), headers },
      });
      const answer = await portal.answer({ request, remoteAddress: '192.0.2.1' });
      return [answer.status, await answer.text()] as const;
    };
    const [status, html] = await upload(new TextEncoder().encode('\ufeffIndustryName,ImagePath\nKäse,k.png\n'));
    expect([status, html]).toEqual([200, expect.stringContaining('Käse')]);
    const latin = await upload(new Uint8Array(Buffer.from('IndustryName,ImagePath\nK\u00e4se,k.png\n', 'latin1')));
    expect(latin).toEqual([409, expect.stringContaining('The file is not UTF-8; save it as “CSV UTF-8”.')]);
    expect((await upload(new Uint8Array(600 * 1_024)))[0]).toBe(400);
    const request = new Request('http://portal.test/portal/project-types/add', {
      ...{ method: 'POST', body: new FormData(), headers: { cookie: visitor.cookie(), origin: 'http://portal.test' } },
    });
    expect(await (await portal.answer({ request, remoteAddress: '192.0.2.1' })).text()).toContain(
      'The portal accepts only forms',
    );
  });

  it('admin users are neither exported nor imported', async () => {
    expect((await visitor.get('/portal/users/csv')).status).toBe(404);
    expect((await visitor.get('/portal/users')).words).not.toContain('CSV');
    expect((await visitor.get('/portal/sectors')).words).toContain('Download as CSV Import CSV Add a sector');
  });
});
