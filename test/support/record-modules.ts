import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Loaded with `--import` before a program: at its end, it writes the URL of each module that was loaded, one a line. */
const loaded = new Set<string>();
registerHooks({
  load: (url, context, next) => {
    loaded.add(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES ?? '', [...loaded].join('\n')));
