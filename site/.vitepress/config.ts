import { dirname, join } from 'node:path/posix';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { listPages } from '../sidebar.ts';

/** Links to files of the repository that are no pages lead nowhere here, so only their text is left. */
const unlinkSources: NonNullable<MarkdownOptions['config']> = (markdown) => {
  markdown.core.ruler.push('unlink-sources', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        const { type } = token;
        if (type === 'link_open') {
          const target = token.attrGet('href') ?? '';
          isOutside = !/^(?:\w+:|#)/.test(target) && join(dirname(env.relativePath), target).startsWith('..');
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

/** `npm run docs`: the pages of `docs/` as a site with a search, in `.cache/site/`. Who reads it needs no network. */
export default defineConfig({
  title: 'subnetd',
  description: 'Watches XDC-style blockchain subnets, and says what is wrong and what to type next',
  srcDir: 'docs',
  outDir: '../.cache/site',
  cacheDir: '../.cache/vitepress',
  markdown: { config: unlinkSources },
  // They lie outside this folder, which has the libraries: `docs` is a link to them, which the build makes.
  vite: { resolve: { preserveSymlinks: true } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: listPages(),
  },
});
