import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Loaded with `--import` before a program: at the end of each thread, it adds the URL of each module loaded there, one a line. */
const loaded = new Set<string>();
registerHooks({
  load: (url, context, next) => {
    loaded.add(url);
    return next(url, context);
  },
});
process.on('exit', () => appendFileSync(process.env.LOADED_MODULES ?? '', `${[...loaded].join('\n')}\n`));
