import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkValue, requireMember } from '../../../src/platform/api/check-value.ts';
import { createOpenApi } from '../../../src/platform/api/create-open-api.ts';
import { resources } from '../../../src/platform/api/resources.ts';
import { PASSWORD_MASK, type Parameter, parametersOf, toNameKey } from '../../../src/platform/model/resource.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { misfitsInPython, misfitsOf } from '../../support/pattern-engines.ts';
import { runCommand } from '../../support/run-command.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const user = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{
    FirstName: 'F',
    LastName: 'L',
    UserName: name,
    Password: 'long enough',
    EmailID: `${toNameKey(name)}@example.com`,
  },
  ...{ IsActive: true, CreateBy: 1 },
  ...more,
});
const industry = (IndustryName: string, ImagePath = 'a.png') => ({
  ...{ IndustryName, ImagePath },
  ...{ IsDeleted: false, CreateBy: 1 },
});
const long = (length: number) => 'ä'.repeat(length);

describe.each(DATABASE_KINDS)('texts on %s', (kind) => {
  const databases = useDatabases(kind);
  const api = useApi(databases);
  const add = (name: string, body: unknown) => api.send('POST', `/api/${name}/Add`, body);
  const kept = async (name: string, id: unknown) =>
    (await api.send('GET', `/api/${name}/ListAll/${id}`)).data.items[0] ?? {};

  it('are kept in NFC and without the blanks around them, and compared so', async () => {
    const { IndustryID } = (await add('Industry', industry(' \u00a0Cafe\u0301\u3000', ' a/b.png '))).data;
    expect(await kept('Industry', IndustryID)).toMatchObject({ IndustryName: 'Caf\u00e9', ImagePath: 'a/b.png' });
    expect((await add('Industry', industry('Caf\u00e9'))).appErrorCode).toBe(1012);
    const { SectorID } = (
      await add('Sector', { ...industry('  Cafe\u0301 '), SkillName: ' Beans ', ImagePath: 'b.png' })
    ).data;
    expect(await kept('Sector', SectorID)).toMatchObject({ SkillName: 'Beans', IndustryName: 'Caf\u00e9' });
    const { UserID } = (await add('AdminUser', user(' ada ', { EmailID: ' Ada@Example.com ' }))).data;
    expect(await kept('AdminUser', UserID)).toMatchObject({ UserName: 'ada', EmailID: 'Ada@Example.com' });
  });

  it.each([
    ['a line break', 'a\nb'],
    ['a line break at the end', 'name\n'],
    ['a tab at the start', '\tname'],
    ['ESC', '\u001b[31mred'],
    ['a C1 control', 'a\u009bm'],
    ['only zero-width spaces', '\u200b\u200b'],
    ['a zero-width space', 'Ship\u200bping'],
    ['a joiner between Latin letters', 'Ship\u200dping'],
    ['a non-joiner after a letter that does not join', '\u062f\u200c\u0645'],
    ['a word joiner', 'a\u2060b'],
    ['a byte order mark at the end', 'name\ufeff'],
    ['a turn of the direction', 'a\u202egnp.exe'],
    ['an isolate', 'a\u2066b\u2069'],
    ['a soft hyphen', 'a\u00adb'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029'],
    ['a filler of Hangul', '\u3164'],
    ['a variation selector', 'a\ufe0f'],
    ['a variation selector after a digit', '1\ufe0f'],
    ['a variation selector that changes no emoji', '\u{1f6a2}\ufe0f'],
    ['a joiner between emoji that make no other one', '\u{1f6a2}\u200d\u{1f6a2}'],
    ['a joiner behind an emoji', '\u{1f469}\u200d'],
    ['a tag', 'a\u{e0041}'],
    ['a tag behind an emoji', '\u{1f469}\u{e0067}\u{e007f}'],
    ['private use', 'a\ue000'],
    ['a code point without a character', 'a\u0378'],
    ['half of a surrogate pair', 'a\ud800'],
    ['NUL', 'a\0b'],
    ['a mark without its letter', ' \u0301a'],
  ])('with %s are refused, in a name, a path and a password by 1012, in an address by 1008', async (_what, text) => {
    const code = async (name: string, body: unknown) => (await add(name, body)).appErrorCode;
    expect(await code('ProjectType', { ContractName: text, IsDeleted: false, CreateBy: 1 })).toBe(1012);
    expect(await code('AdminUser', user(`u ${text}`, { EmailID: 'u@example.com', UserName: text }))).toBe(1012);
    expect(await code('Industry', industry('Path', text))).toBe(1012);
    expect(await code('Sector', { ...industry(text), SkillName: 's' })).toBe(1012);
    expect(await code('AdminUser', user('mail', { EmailID: `${text}@example.com` }))).toBe(1008);
    if (text !== ' \u0301a') expect(await code('AdminUser', user('p', { Password: `long enough ${text}` }))).toBe(1012);
  });

  it.each([
    ['Persian with a non-joiner', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['Sinhala with a joiner', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
    ['a picture', '\u{1f6a2} Shipping'],
    ['an emoji with a variation selector', 'I \u2764\ufe0f ships'],
    ['an emoji with a joiner', '\u{1f469}\u200d\u{1f4bb} Ada'],
    ['a family of joiners and a skin tone', '\u{1f469}\u200d\u{1f467}\u200d\u{1f466} \u{1f44b}\u{1f3fd}'],
    [
      'flags, one of them with tags',
      '\u{1f1e9}\u{1f1ea}\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    ],
    ['a flag with a selector and a joiner', '\u{1f3f3}\ufe0f\u200d\u{1f308}'],
    ['a keycap', '1\ufe0f\u20e3'],
    ['Vietnamese', 'Nguye\u0302\u0303n'],
  ])('of people are taken: %s', async (_what, text) => {
    const { data } = await add('ProjectType', { ContractName: text, IsDeleted: false, CreateBy: 1 });
    expect(await kept('ProjectType', data.ProjectTypeID)).toMatchObject({ ContractName: text.normalize('NFC') });
    const Password = `sesame ${text}`;
    expect((await add('AdminUser', user(text, { EmailID: `${data.ProjectTypeID}@example.com`, Password }))).http).toBe(
      200,
    );
    const { http } = await api.sendBare('POST', '/api/Auth/Token', { UserName: text, Password });
    expect(http).toBe(200);
  });

  it.each([
    ['a line break at the end', 'a@example.com\n'],
    ['a header behind a line break', 'a@example.com\r\nBcc: b@example.com'],
    ['a tab at the start', '\ta@example.com'],
    ['a blank', 'a b@example.com'],
    ['a no-break space', 'a\u00a0b@example.com'],
    ['a zero-width domain', 'a@exam\u200bple.com'],
    ['65 characters before the @', `${'a'.repeat(65)}@example.com`],
  ])('an address with %s is 1008', async (_what, EmailID) => {
    expect((await add('AdminUser', user('mail', { EmailID }))).appErrorCode).toBe(1008);
  });

  it.each([
    '%2e%2e/a.png',
    'a/%2E./b.png',
    'a/%252e%252e/b.png',
    '%2fetc/passwd',
    '%5c%5chost/a.png',
    'a\\b.png',
    '\\\\host\\a.png',
    'a/%5cb.png',
    'a/..?b',
    'a/ .. /b',
    '%20/etc/passwd',
    'javascript%3aalert(1)',
    '%6aavascript:alert(1)',
    'data:text/html,x',
    'a%00.png',
    'a%0a.png',
    'a%C0%AE.png',
    'a%E2%80%AE.png',
    '100%',
    '..',
    '//host/a.png',
  ])('the path %j is 1012', async (ImagePath) => {
    expect((await add('Industry', industry('Path', ImagePath))).appErrorCode).toBe(1012);
  });

  it.each(['a/b.png', './a.png', '..a/b..png', 'a/...', 'my%20ship.png', 'ä/ö.png', 'a b.png'])(
    'the path %j is accepted',
    async (ImagePath) => {
      const { IndustryID } = (await add('Industry', industry(`Path ${ImagePath}`, ImagePath))).data;
      expect(await kept('Industry', IndustryID)).toMatchObject({ ImagePath });
    },
  );

  it('of exactly the maximum length are taken and kept whole, and one more is 1005', async () => {
    const project = (ContractName: string) => ({ ContractName, IsDeleted: false, CreateBy: 1 });
    const { ProjectTypeID } = (await add('ProjectType', project(` ${long(200)} `))).data;
    expect(await kept('ProjectType', ProjectTypeID)).toMatchObject({ ContractName: long(200) });
    expect((await add('ProjectType', project(long(201)))).appErrorCode).toBe(1005);
    expect((await add('Industry', industry(long(200), long(500)))).http).toBe(200);
    expect((await add('Industry', industry('long path', long(501)))).appErrorCode).toBe(1005);
    expect((await add('Sector', { ...industry(long(200)), SkillName: long(200) })).http).toBe(200);
    expect((await add('Sector', { ...industry(long(201)), SkillName: 's' })).appErrorCode).toBe(1005);
    const names = { FirstName: long(200), LastName: long(200), UserName: long(200), Password: long(1024) };
    const domain = `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(57)}.com`;
    const EmailID = `${long(64)}@${domain}`;
    expect(EmailID).toHaveLength(254);
    expect((await add('AdminUser', user('long', { ...names, EmailID }))).http).toBe(200);
    const longest = { UserName: long(200), Password: long(1024) };
    expect((await api.sendBare('POST', '/api/Auth/Token', longest)).http).toBe(200);
    for (const name of ['UserName', 'Password'] as const) {
      const body = { ...longest, [name]: `${longest[name]}x` };
      expect((await api.sendBare('POST', '/api/Auth/Token', body)).appErrorCode).toBe(1005);
    }
    for (const [name, text] of Object.entries({ ...names, EmailID }))
      expect((await add('AdminUser', user('longer', { [name]: `${text}x` }))).appErrorCode, name).toBe(1005);
    expect((await add('AdminUser', user('short', { Password: long(8) }))).http).toBe(200);
    expect((await add('AdminUser', user('short2', { Password: long(7) }))).appErrorCode).toBe(1006);
  });

  it('that are older than the rules stay readable, and their user signs in', async () => {
    const { adminUser } = await import('../../../src/platform/api/resources.ts');
    const { hashPassword } = await import('../../../src/platform/api/passwords.ts');
    const author = { statedBy: 1, owner: 1, credential: 'key 1', at: new Date().toISOString(), ip: null };
    const values = user('old\u200bname', { Password: await hashPassword('old\npassword'), EmailID: 'o@example.com\n' });
    const { CreateBy, ...members } = values;
    const written = await api.store.add(adminUser, members, author);
    const id = written.ok ? written.id : 0;
    expect(await kept('AdminUser', id)).toMatchObject({ UserName: 'old\u200bname', EmailID: 'o@example.com\n' });
    const body = { UserName: 'old\u200bname', Password: 'old\npassword' };
    expect((await api.sendBare('POST', '/api/Auth/Token', body)).http).toBe(200);
  });
});

/** The codes of a wrong type and of a wrong length, which the document knows as well as the code. */
const BY_COUNT = new Set([1003, 1005, 1006]);

describe('the OpenAPI document', () => {
  interface Body {
    readonly properties: Readonly<
      Record<string, { readonly maxLength?: number; readonly minLength?: number; readonly pattern?: string }>
    >;
  }
  const paths = createOpenApi(resources).paths as Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly requestBody: { content: { 'application/json'?: { schema: Body } } } }>>
    >
  >;
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: true, validateFormats: false });
  const members = resources.flatMap((resource) =>
    (['Add', 'Update/{updatedby}'] as const).flatMap((end) => {
      const method = end === 'Add' ? 'post' : 'put';
      const body = paths[`/${resource.name}/${end}`]?.[method]?.requestBody.content['application/json']?.schema;
      return parametersOf(resource).map((member) => ({
        title: `${resource.name} ${end} ${member.name}`,
        member,
        isNew: end === 'Add',
        schema: body?.properties[member.name] ?? {},
      }));
    }),
  );

  /** The code of a value that is refused; undefined for one that is taken. */
  const refusalOf = (member: Parameter, value: unknown, isNew: boolean): number | undefined => {
    const present = requireMember({ [member.name]: value }, member.name);
    const checked = present.ok ? checkValue(member, present.value, isNew) : present;
    return checked.ok ? undefined : checked.failure.code;
  };
  /** The document speaks of a text as it is kept. */
  const asKept = (member: Parameter, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (member.kind === 'password') return value.normalize('NFC');
    return value
      .normalize('NFC')
      .replace(/^\p{Zs}+/u, '')
      .replace(/\p{Zs}+$/u, '');
  };

  // Pieces of texts that are good, bad and at the edge, from which lengths at every limit are made.
  const piece = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('a', 'Z', '7', 'ä', '/', '.', '-', ' ', '@', 'a@b.example', 'images/a.png'),
    },
    fc.constantFrom('..', '../', '\\', '%2e', '%20', '%', '%7F', '%25', ':', 'http:', '"', ',', '?', '#', '//', '.com'),
    fc.constantFrom(
      '\n',
      '\t',
      '\u001b',
      '\u200b',
      '\u200c',
      '\u200d',
      '\u202e',
      '\ufeff',
      '\u2028',
      '\u00a0',
      '\ufe0f',
    ),
    fc.constantFrom(
      '\u094d',
      '\u0915',
      '\u0645',
      '\u062f',
      '\u0301',
      '\u0378',
      '\ue000',
      '\ud800',
      '\u{1f6a2}',
      '\u3164',
    ),
    fc.string({ unit: anyCharacter, maxLength: 2 }),
  );
  const textAround = (limits: readonly number[]) =>
    fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc
        .tuple(
          fc.constantFrom(...limits.flatMap((limit) => [limit - 1, limit, limit + 1])),
          fc.array(piece, { maxLength: 3 }),
        )
        .map(([length, pieces]) => {
          const end = pieces.join('');
          return `${'x'.repeat(Math.max(0, length - [...end.normalize('NFC')].length))}${end}`;
        }),
    );
  const address = fc
    .tuple(fc.constantFrom(1, 63, 64, 65), fc.constantFrom(1, 2, 62, 63, 64), fc.constantFrom('', '.', 'é', '-', ' '))
    .map(([local, label, odd]) => `${'l'.repeat(local)}@${'d'.repeat(label)}${odd}.${'e'.repeat(label)}`);
  const other = fc.constantFrom<unknown>(null, 1, true, false, 'true', 'FALSE', 'no', {}, [], PASSWORD_MASK, '', ' ');

  /** What was taken of each pattern, for Python. */
  const taken: { pattern: string; texts: string[] }[] = [];

  it.each(members)(
    'takes for $title all that the code takes, and no wrong type and length',
    ({ member, isNew, schema }) => {
      const validate: ValidateFunction = ajv.compile(schema);
      const { pattern } = schema;
      const texts: string[] = [];
      if (pattern !== undefined) taken.push({ pattern, texts });
      const limits = [schema.minLength ?? 1, schema.maxLength ?? 5];
      const property = fc.property(fc.oneof({ weight: 8, arbitrary: textAround(limits) }, address, other), (value) => {
        const refusal = refusalOf(member, value, isNew);
        const isTaken = validate(asKept(member, value));
        if (refusal === undefined) {
          expect(isTaken, JSON.stringify(value)).toBe(true);
          if (pattern === undefined || typeof value !== 'string') return;
          texts.push(value);
          expect(misfitsOf(pattern, value), JSON.stringify(value)).toEqual([]);
        } else if (typeof value !== 'string' || BY_COUNT.has(refusal))
          expect(isTaken, JSON.stringify(value)).toBe(false);
      });
      fc.assert(property, { numRuns: 400, examples: [...limits.map((length): [unknown] => ['x'.repeat(length)])] });
    },
  );

  it('takes all of it in Python, too', () => {
    expect(taken.flatMap(({ texts }) => texts).length).toBeGreaterThan(1_000);
    expect(misfitsInPython(taken)).toEqual([]);
  });

  it('says the bounds of each number as the code keeps them', () => {
    for (const methods of Object.values(paths))
      for (const { requestBody } of Object.values(methods))
        for (const [name, schema] of Object.entries(requestBody?.content['application/json']?.schema.properties ?? {}))
          if (/By$|ID$/.test(name) && name !== 'EmailID')
            expect(schema, name).toMatchObject({ type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 });
  });

  it('names the format of an address that may hold any letters', () => {
    const format = members.find(({ member }) => member.name === 'EmailID')?.schema;
    expect(format).toMatchObject({ format: 'idn-email', minLength: 1, maxLength: 254 });
  });
});

describe('texts on the command line', () => {
  it('go by the same rules: names of keys and of admin users', async () => {
    const folder = temporaryFolder();
    const env = { SUBNETD_DATABASE_URL: `sqlite:${folder.path('subnetd.db')}` };
    const create = (name: string) =>
      runCommand(
        ['admin', 'create', '--user-name', name, '--first-name', 'F', '--last-name', 'L', '--email', 'a@b.example'],
        env,
      );
    const key = (name: string) =>
      runCommand(['apikey', 'create', '--owner', '1', '--scope', 'read', '--name', name], env);
    try {
      expect(await create('a\u001b[2J')).toMatchObject({
        code: 2,
        stderr: 'subnetd admin create: UserName contains an invisible or unsupported character (U+001B); remove it\n',
      });
      expect((await create(' ada ')).stdout).toContain('admin user 1: ada\n');
      expect(await key('\u202ek')).toMatchObject({
        code: 2,
        stderr: 'subnetd apikey create: --name contains an invisible or unsupported character (U+202E); remove it\n',
      });
      expect((await key(' ')).stderr).toBe('subnetd apikey create: --name is empty; give it a value\n');
      expect((await key('x'.repeat(201))).stderr).toContain('--name exceeds the maximum of 200 characters');
      expect((await key(` ${'x'.repeat(200)} `)).stdout).toContain(`API key 1: ${'x'.repeat(200)}, scope read`);
    } finally {
      folder.remove();
    }
  });
});
