import { dirname, join } from 'node:path/posix';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { listPages, ROOT_PAGES } from '../sidebar.ts';

/** Where a link of a page leads here: the page with that part, or undefined for a file of the repository that is no page. */
function findPage(page: string, target: string): string | undefined {
  const from = page in ROOT_PAGES ? '.' : dirname(`docs/${page}`);
  const [file = '', part] = join(from, target).split('#');
  const root = Object.keys(ROOT_PAGES).find((name) => ROOT_PAGES[name] === file);
  const found = file.startsWith('docs/') ? file.slice('docs/'.length) : root;
  return found && `/${found}${part === undefined ? '' : `#${part}`}`;
}

/** Links to files of the repository that are no pages lead nowhere here, so only their text is left. */
const unlinkSources: NonNullable<MarkdownOptions['config']> = (markdown) => {
  markdown.core.ruler.push('unlink-sources', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        const { type } = token;
        const target = type === 'link_open' ? token.attrGet('href') : null;
        if (target !== null && !/^(?:\w+:|#)/.test(target)) {
          const page = findPage(env.relativePath, target);
          isOutside = page === undefined;
          if (page !== undefined) token.attrSet('href', page);
        }
        if (isOutside && (type === 'link_open' || type === 'link_close')) token.tag = 'span';
        if (isOutside && type === 'link_open') token.type = 'span_open';
        if (isOutside && type === 'link_close') {
          token.type = 'span_close';
          isOutside = false;
        }
      }
    }
  });
};

/** The name of a part of a page, as GitHub makes it of the heading: a link with a part leads to the same place there and here. */
const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** `npm run docs`: the pages of `docs/` as a site with a search, in `.cache/site/`. Who reads it needs no network. */
export default defineConfig({
  title: 'subnetd',
  description: 'Watches XDC-style blockchain subnets, and says what is wrong and what to type next',
  srcDir: 'docs',
  outDir: '../.cache/site',
  cacheDir: '../.cache/vitepress',
  markdown: { config: unlinkSources, anchor: { slugify } },
  // They lie outside this folder, which has the libraries: `docs` is a link to them, which the build makes.
  vite: { resolve: { preserveSymlinks: true } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: listPages(),
  },
});
