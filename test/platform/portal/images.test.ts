import { hash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { imageColumns, KEEP_UNUSED_MS, MAX_IMAGE_BYTES } from '../../../src/platform/api/images.ts';
import { makeKey } from '../../../src/platform/api/manage-keys.ts';
import { industry, resources } from '../../../src/platform/api/resources.ts';
import type { Scope } from '../../../src/platform/model/platform-store.ts';
import { platformSettings, startPlatform } from '../../support/api.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';
import { usePortal } from '../../support/use-portal.ts';

/** A picture of one pixel; `more` after its end makes it another one. */
const png = (more = '') =>
  Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    Buffer.from(more),
  ]);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const JPEG = Buffer.from('/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////', 'base64');
const WEBP = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

const fileOf = (bytes: Uint8Array<ArrayBuffer>, name = 'a.png', type = 'image/png') =>
  new File([bytes], name, { type });
const pathOf = (bytes: Uint8Array, extension = 'png') => `images/${hash('sha256', bytes)}.${extension}`;
const NO_FILE = new File([], '', { type: 'application/octet-stream' });

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const { portal, visitor } = usePortal(databases);
  const add = async (form: Readonly<Record<string, string | File>>) => {
    await visitor.get('/portal/industries/add');
    return visitor.post('/portal/industries/add', { ImagePath: '', ...form });
  };
  const shown = async (path: string, method = 'GET') => {
    const request = new Request(`http://portal.test/${path}`, { method });
    return portal.answer({ request, remoteAddress: '203.0.113.5' });
  };
  const isThere = async (path: string) => (await shown(path)).status === 200;
  const pathsOf = async (name: string) => {
    const { items } = await portal.store.search(industry, { where: { IndustryName: name }, offset: 0, limit: 9 });
    return items.map(({ ImagePath }) => ImagePath);
  };
  const upload = async (scope: Scope, body: string | FormData, headers: Record<string, string> = {}) => {
    const made = await makeKey(portal.store, { name: 'k', scopes: [scope], owner: 1 }, onCommandLine(Date.now()));
    if (!made.ok) throw new Error(made.failure.message);
    const request = new Request('http://portal.test/api/v1/Image/Add', {
      method: 'POST',
      body,
      headers: { 'x-api-key': made.value.key, ...headers },
    });
    return (await portal.platform.answer({ request, remoteAddress: '192.0.2.9' })).json();
  };
  const formOf = (members: Readonly<Record<string, string | File>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(members)) form.append(name, value as string);
    return form;
  };

  it('an image that is chosen in the form is stored, is the path of its record, and is shown to everyone', async () => {
    const bytes = png('first');
    const added = await add({ IndustryName: 'Shipping', Image: fileOf(bytes) });
    const path = pathOf(bytes);
    expect(added.words).toContain('The industry was added.');
    expect(await pathsOf('Shipping')).toEqual([path]);
    expect(added.html).toContain(`<img class="thumb" src="/${path}" alt="uploaded image"`);
    // The trail of the record shows the picture too.
    expect(added.words).not.toContain(path);
    const list = await visitor.get('/portal/industries');
    expect(list.html).toContain(`<img class="thumb" src="/${path}"`);
    expect(list.words).not.toContain(path);
    const answer = await shown(path);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await shown(path, 'HEAD')).headers.get('content-type')).toBe('image/png');
  });

  it('a path stays a path, and an image takes its place', async () => {
    expect((await add({ IndustryName: 'Rail', ImagePath: 'images/rail.png', Image: NO_FILE })).words).toContain(
      'was added',
    );
    expect(await pathsOf('Rail')).toEqual(['images/rail.png']);
    const at = visitor.path().replace(/\?.*/, '');
    const seen = /name="seen" value="([^"]*)"/.exec((await visitor.get(at)).html)?.[1] ?? '';
    const form = { IndustryName: 'Rail', ImagePath: 'images/rail.png', seen: seen.replaceAll('&quot;', '"') };
    const saved = await visitor.post(at, { ...form, Image: fileOf(png('rail')) });
    expect(saved.words).toContain('The industry was saved.');
    expect(await pathsOf('Rail')).toEqual([pathOf(png('rail'))]);
  });

  it('the content tells the format, not the name', async () => {
    for (const [name, bytes, extension, type] of [
      ['Gif', GIF, 'gif', 'image/gif'],
      ['Jpeg', JPEG, 'jpg', 'image/jpeg'],
      ['Webp', WEBP, 'webp', 'image/webp'],
    ] as const) {
      await add({ IndustryName: name, Image: fileOf(bytes, 'a.png', 'text/html') });
      expect(await pathsOf(name)).toEqual([pathOf(bytes, extension)]);
      expect((await shown(pathOf(bytes, extension))).headers.get('content-type')).toBe(type);
    }
  });

  it.each([
    ['an SVG', fileOf(SVG, 'a.svg', 'image/svg+xml')],
    ['a page that is called an image', fileOf(Buffer.from('<!doctype html><script>alert(1)</script>'))],
    ['an archive', fileOf(Buffer.from('PK\x03\x04'.padEnd(64, '\0'), 'latin1'))],
    ['an empty file', fileOf(Buffer.alloc(0))],
  ])('%s is refused beside its field, and what was typed stays', async (_, Image) => {
    const refused = await add({ IndustryName: 'Mining', Image });
    expect([refused.status, refused.words]).toEqual([
      409,
      expect.stringContaining(
        'Image must be a PNG, JPEG, GIF or WebP file, whatever its name says; save it as one of them. SVG is not accepted, because it can contain scripts. Code 1012',
      ),
    ]);
    expect(refused.html).toMatch(/id="record-Image"[^>]*aria-invalid="true"/);
    expect(refused.html).toMatch(/id="record-IndustryName"[^>]*value="Mining"/);
    expect(await pathsOf('Mining')).toEqual([]);
  });

  it('an image that is too large is refused', async () => {
    const most = png('x'.repeat(MAX_IMAGE_BYTES - png().length));
    expect((await add({ IndustryName: 'Most', Image: fileOf(most) })).words).toContain('was added');
    const above = await add({ IndustryName: 'More', Image: fileOf(png('x'.repeat(MAX_IMAGE_BYTES))) });
    expect(above.words).toContain('Image exceeds the maximum of 1048576 bytes. Code 1005');
    const far = await add({ IndustryName: 'More', Image: fileOf(png('x'.repeat(2 * MAX_IMAGE_BYTES))) });
    expect(far.words).toContain('The form exceeds the maximum of 1114112 bytes. Code 1005');
  });

  it('a form that is refused for something else keeps the image', async () => {
    const refused = await add({ IndustryName: 'Shipping', Image: fileOf(png('kept')) });
    expect(refused.words).toContain('Industry name is taken');
    const path = pathOf(png('kept'));
    expect(refused.html).toMatch(new RegExp(`id="record-ImagePath"[^>]*value="${path}"`));
    expect(refused.html).toContain(`src="/${path}"`);
    const stored = await visitor.post('/portal/industries/add', { IndustryName: 'Harbours', ImagePath: path });
    expect(stored.words).toContain('was added');
    expect(await pathsOf('Harbours')).toEqual([path]);
  });

  it('without an image and without a path the form says what is missing', async () => {
    const { words } = await add({ IndustryName: 'Nothing', Image: NO_FILE });
    expect(words).toContain('Image path is empty; give it a value. Code 1002');
  });

  it('a key uploads one by the API, as often as it likes, and gets the path to send', async () => {
    const body = () => formOf({ Image: fileOf(png('api')) });
    const data = { result: 'success', ImagePath: pathOf(png('api')) };
    expect(await upload('lists', body())).toEqual({ status: 'success', data });
    expect(await upload('write', body())).toEqual({ status: 'success', data });
    expect(await isThere(data.ImagePath)).toBe(true);
    expect(await upload('read', body())).toMatchObject({ appErrorCode: 1104 });
  });

  it.each<[string, () => string | FormData, Record<string, string>, number, string]>([
    [
      'JSON',
      () => '{"Image":"x"}',
      { 'content-type': 'application/json' },
      1003,
      'Image must be a file; send it in a form (multipart/form-data), as curl -F does',
    ],
    ['bare bytes', () => 'x', { 'content-type': 'image/png' }, 1001, 'the content-type must be multipart/form-data'],
    ['no body', () => '', {}, 1001, 'the body is missing; send a form with the file'],
    ['no file', () => formOf({ other: 'x' }), {}, 1001, 'Image is missing; send it'],
    [
      'a text',
      () => formOf({ Image: 'x' }),
      {},
      1003,
      'Image must be a file; send it in a form (multipart/form-data), as curl -F does',
    ],
    [
      'many parts',
      () => formOf(Object.fromEntries(Array.from({ length: 40 }, (__, index) => [`a${index}`, 'x']))),
      {},
      1001,
      'the body is not a form of a few members; correct it',
    ],
    [
      'half a form',
      () => '--b\r\ncontent-disposition: form-data; name="Image"; filename="a.png"\r\n\r\nx',
      { 'content-type': 'multipart/form-data; boundary=b' },
      1001,
      'the body is not a form of a few members; correct it',
    ],
    [
      'too much',
      () => 'x'.repeat(MAX_IMAGE_BYTES + 17 * 1024),
      { 'content-type': 'multipart/form-data; boundary=b' },
      1005,
      'the body exceeds the maximum of 1064960 bytes',
    ],
  ])('the API refuses %s', async (_, body, headers, appErrorCode, errMessage) => {
    expect(await upload('lists', body(), headers)).toEqual({ status: 'failed', appErrorCode, errMessage });
  });

  it('nothing else is at the paths of images', async () => {
    for (const name of [pathOf(png('unknown')), 'images/a.png', 'images/..%2f..%2fpackage.json', 'images/__proto__']) {
      const { status, headers } = await shown(name);
      expect([name, status, headers.get('cache-control')]).toEqual([name, 404, 'no-store']);
    }
  });

  it('an image that no record uses is removed after a day, and one that a deleted record has stays', async () => {
    const at = Date.now() - 2 * KEEP_UNUSED_MS;
    const columns = imageColumns(resources);
    const old = async (text: string) => {
      const path = pathOf(png(text));
      const data = png(text).toString('base64');
      await portal.store.addImage({ path, data }, new Date(at).toISOString(), columns, 100);
      return path;
    };
    const [unused, used, again] = [await old('unused'), await old('used'), await old('again')];
    await add({ IndustryName: 'Used', ImagePath: used, IsDeleted: 'true' });
    await upload('lists', formOf({ Image: fileOf(png('again')) }));
    await portal.store.trimImages(new Date(Date.now() - KEEP_UNUSED_MS).toISOString(), columns);
    expect([await isThere(unused), await isThere(used), await isThere(again)]).toEqual([false, true, true]);
  });

  it('uploads end where a hundred images wait for a record, but one of these can be used', async () => {
    for (let number = 0; number < 100; number += 1)
      await upload('lists', formOf({ Image: fileOf(png(`one of many ${number}`)) }));
    const refused = await upload('lists', formOf({ Image: fileOf(png('one too many')) }));
    expect(refused).toEqual({
      status: 'failed',
      appErrorCode: 1005,
      errMessage:
        '100 uploaded images are not used by any record, which is the maximum; use one of them as ImagePath, or wait for a day until they are removed',
    });
    const first = pathOf(png('one of many 0'));
    expect(await upload('lists', formOf({ Image: fileOf(png('one of many 0')) }))).toMatchObject({
      data: { ImagePath: first },
    });
    await add({ IndustryName: 'Room', ImagePath: first });
    await add({ IndustryName: 'For one', ImagePath: pathOf(png('one of many 1')) });
    expect(await upload('lists', formOf({ Image: fileOf(png('one too many')) }))).toMatchObject({ status: 'success' });
  });
});

describe('the daemon', () => {
  const databases = useDatabases('sqlite');
  const stops: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(stops.map((stop) => stop())));

  it('removes what no record uses by itself', async () => {
    let now = Date.now();
    const settings = platformSettings(await databases.create());
    const platform = startPlatform(settings, { now: () => now, cleanEveryMs: 20 });
    stops.push(platform.stop);
    const store = await (await platform.services()).store();
    const path = pathOf(png());
    const image = { path, data: png().toString('base64') };
    await store.addImage(image, new Date(now).toISOString(), imageColumns(resources), 100);
    expect(await store.findImage(path)).toEqual(image);
    now += KEEP_UNUSED_MS + 60 * 60_000;
    await expect.poll(() => store.findImage(path), { interval: 20 }).toBeUndefined();
  });
});
