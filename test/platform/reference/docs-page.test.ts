import { describe, expect, it } from 'vitest';
import { createOpenApi } from '../../../src/platform/api/create-open-api.ts';
import { ERROR_CODES } from '../../../src/platform/api/error-codes.ts';
import { resources } from '../../../src/platform/api/resources.ts';
import { referencePages } from '../../../src/platform/reference/docs-page.ts';
import { readOperations } from '../../../src/platform/reference/read-operations.ts';
import { tryPage } from '../../../src/platform/reference/try-page.ts';

const document = createOpenApi(resources);
const content = { document, version: '1.2.3' };
const operations = readOperations(document);
const pages = new Map([...referencePages(content)].map(([path, make]) => [path, make()]));
const index = pages.get('/docs') ?? '';
const whole = [...pages.values()].join('');
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
const shownIn = (html: string) =>
  [...html.matchAll(/<section class="panel (?:op|code)" id="([^"]+)"/g)].map(([, id]) => id);
const sectionOf = (id: string) =>
  whole.split('<section ').find((text) => text.startsWith(`class="panel op" id="${id}"`)) ?? '';

describe('the reference', () => {
  it('has a page for each group of operations and one for the codes, and every link within it arrives', () => {
    expect([...pages.keys()]).toEqual([
      ...['/docs', '/docs/admin-users', '/docs/project-types', '/docs/sectors', '/docs/industries', '/docs/tokens'],
      ...[
        '/docs/one-time-codes',
        '/docs/accounts',
        '/docs/images',
        '/docs/api-keys',
        '/docs/audit-trail',
        '/docs/wallet',
        '/docs/codes',
      ],
    ]);
    const codes = Object.keys(ERROR_CODES).map((code) => `code-${code}`);
    expect(shownIn(whole)).toEqual([...operations.map(({ id }) => id), ...codes]);
    for (const [path, html] of pages) {
      const ids = idsOf(html);
      expect(ids, path).toHaveLength(new Set(ids).size);
      for (const [, page, target] of html.matchAll(/href="(\/docs[\w/-]*)?#([^"]+)"/g))
        expect(idsOf(pages.get(page ?? path) ?? ''), `${path} links to ${page ?? ''}#${target}`).toContain(target);
      for (const [, page = ''] of html.matchAll(/href="(\/docs[^"#?]*)"/g))
        expect([...pages.keys(), '/docs/try']).toContain(page);
    }
  });

  it('keeps on its index each anchor of the time when it was one page, with a link to where that is now', () => {
    for (const { id } of operations)
      expect(index).toMatch(new RegExp(`<li class="op-item" id="${id}"[^>]*>.*?href="/docs/[a-z-]+#${id}".*?</li>`));
    for (const code of Object.keys(ERROR_CODES)) expect(index).toContain(`href="/docs/codes#code-${code}"`);
    const others = [
      'start',
      'credentials',
      'answers',
      'versions',
      'codes',
      ...operations.map(({ tag }) => `section-${tag}`),
    ];
    for (const id of others) expect(idsOf(index)).toContain(id);
  });

  it('says where the specification calls a list by another name, on the index, on its page and to programs', () => {
    expect(index).toMatch(
      /List admin users<\/a> <code>[^<]*<\/code> <span class="dim">In the specification: Check Account Existence/,
    );
    expect(index).toMatch(/id="listAdminUsers" data-words="[^"]*check account existence/);
    expect(sectionOf('listAdminUsers')).toContain('In the specification: <b>Check Account Existence</b>.');
    expect(JSON.stringify(document)).toContain('"x-specification-title":"Check Account Existence"');
  });

  it('names the values that a list may have', () => {
    expect(sectionOf('addApiKey')).toMatch(/<code>Scopes<\/code>.*?Any of read, lists, write, admin, operate\./);
  });

  it('shows of an operation its members with their rules, an example of its answer, and each of its codes', () => {
    const text = sectionOf('addSector');
    expect(text).toContain('<code>/api/v1/Sector/Add</code>');
    expect(text).toMatch(
      /<code>IndustryName<\/code>.*?<td role="cell">string<br><b>required<\/b>.*?1 to 200 characters\./,
    );
    expect(text).toContain('&quot;SectorID&quot;: 1');
    expect(text).toContain('Resource exceeds maximum allowed value<br>');
    expect([...text.matchAll(/href="\/docs\/codes#code-(\d+)"/g)].map(([, code]) => Number(code))).toEqual(
      operations.find(({ id }) => id === 'addSector')?.codes,
    );
    expect(text).toContain('&quot;errMessage&quot;: &quot;SkillName is missing; send it&quot;');
  });

  it('marks what the specification does not have', () => {
    const isMarked = (id: string) => /<p><span class="mark"[^>]*>Beyond the specification/.test(sectionOf(id));
    expect(operations.filter(({ id, method }) => method !== 'GET' && isMarked(id)).map(({ id }) => id)).toEqual(
      operations.filter(({ isBeyond, method }) => isBeyond && method !== 'GET').map(({ id }) => id),
    );
    // The twelve operations are of the specification, but no header, and nothing that their lists take in the query.
    expect(sectionOf('addIndustry').match(/Beyond the specification/g)).toHaveLength(1);
    expect(sectionOf('updateIndustry')).toMatch(/<code>If-Match<\/code><br><small class="dim">as a header/);
    const list = operations.find(({ id }) => id === 'listIndustries');
    const inQuery = list?.parameters.filter(({ place }) => place === 'query').length ?? 0;
    expect(list?.headers.map(({ name }) => name)).toEqual(['If-None-Match']);
    expect(sectionOf('listIndustries').match(/Beyond the specification/g)?.length).toBe(inQuery + 1);
  });

  it('loads from this host only, and has no inline script or style', () => {
    for (const html of [...pages.values(), tryPage(content)]) {
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
      expect(html).not.toMatch(/<script(?! [^>]*src="\/assets\/)|<style| style=| on\w+="/);
    }
  });
});

describe('the page to try an operation', () => {
  it('offers each operation, and of an unknown one the first', () => {
    const html = tryPage(content, 'nothing');
    expect([...html.matchAll(/<option value="([^"]+)"/g)].map(([, id]) => id)).toEqual(operations.map(({ id }) => id));
    expect(html).toContain(`<h1>Try it: ${operations[0]?.summary}</h1>`);
  });

  it('folds what is optional, and names the members that the example of a body leaves out', () => {
    const list = tryPage(content, 'listIndustries');
    expect(list).toMatch(/data-name="id"[\s\S]*<details><summary>\d+ optional<\/summary>[\s\S]*data-name="limit"/);
    expect(tryPage(content, 'addApiKey')).toMatch(
      /The body may also have <code>UserID<\/code>, <code>ExpiryDate<\/code>/,
    );
    expect(tryPage(content, 'addIndustry')).not.toContain('<details>');
  });

  it('sends nothing without a script: the fields are disabled', () => {
    expect(tryPage(content, 'addSector')).toMatch(
      /<fieldset disabled>[\s\S]*id="credential"[\s\S]*id="body"[\s\S]*Send[\s\S]*<\/fieldset>/,
    );
  });
});
