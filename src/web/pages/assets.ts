import { readFile } from 'node:fs/promises';
import { SCRIPT_PATH, STYLE_PATH } from '../frame/frame.ts';

const readAsset = (name: string) => () => readFile(new URL(`./assets/${name}`, import.meta.url), 'utf8');

/** The files that pages load: one style sheet and one script. */
export const assets = [
  { path: STYLE_PATH, type: 'text/css; charset=utf-8', read: readAsset('style.css') },
  { path: SCRIPT_PATH, type: 'text/javascript; charset=utf-8', read: readAsset('live.js') },
] as const;
