import { readFile } from 'node:fs/promises';
import { html } from 'hono/html';
import { ownFile } from '../../lib/process.ts';
import { type RangeName, rangeQuery } from '../../model/time-range.ts';
import { KIOSK_STYLE_PATH, SCRIPT_PATH, STYLE_PATH, THEME_PATH } from '../frame/frame.ts';
import type { Html } from '../frame/marks.ts';

/** The query of an address whose charts show a range; empty for the last hour. */
const toRange = (range: RangeName | undefined): string =>
  range === undefined || range === '1h' ? '' : `?${new URLSearchParams(rangeQuery(range))}`;

/** The path of the page of a target, or of its probes; its charts show the range of the page that leads to it. */
export const targetPath = (subnet: string, name: string, range?: RangeName, suffix: '' | '/probe' = ''): string =>
  `/targets/${encodeURIComponent(subnet)}/${encodeURIComponent(name)}${suffix}${toRange(range)}`;

/** The path of the page of an incident; with a suffix, of its export. */
export const incidentPath = (id: string, suffix: '' | '.json' | '.md' | '/notes' | '/acknowledge' = ''): string =>
  `/incidents/${encodeURIComponent(id)}${suffix}`;

/** The path of the page with one subnet, or with all. */
export const subnetPath = (subnet: string | undefined, range: RangeName = '1h'): string =>
  subnet === undefined ? `/${toRange(range)}` : `/?${new URLSearchParams({ subnet, ...rangeQuery(range) })}`;

/** What an address asks for, without what it does not. */
export const presentOf = (query: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/** The same as the query of an address. */
export const toAddress = (query: Readonly<Record<string, string | undefined>>): string =>
  String(new URLSearchParams(presentOf(query)));
/** The path of the page for a screen on a wall, of one subnet or of all. */
export const kioskPath = (subnet?: string): string =>
  subnet === undefined ? '/?kiosk' : `${subnetPath(subnet)}&kiosk`;

/** A text with what to type between backticks, cut at them. */
const cut = (text: string): readonly { readonly text: string; readonly isCommand: boolean }[] =>
  text.split('`').map((part, index) => ({ text: part, isCommand: index % 2 === 1 }));

/** The commands in a text. */
export const commandsOf = (text: string): readonly string[] =>
  cut(text).flatMap((part) => (part.isCommand && part.text.includes(' ') ? [part.text] : []));

/** A text whose commands are set as such. */
export const withCommands = (text: string): readonly (Html | string)[] =>
  cut(text).map((part) => (part.isCommand ? html`<code>${part.text}</code>` : part.text));

/** A setting to write into a file, in JSON or YAML. */
const isSetting = (text: string): boolean => /^(?:["{]|[\w.]+: )/.test(text);

/** A command or a setting to copy: a tap selects all of it, and the script shows the button. `about` tells one button from another. */
export const commandBlock = (command: string, about: string): Html =>
  html`<div class="cmd"><code>${command}</code><button type="button" hidden data-copy="${command}"><span aria-live="polite">Copy</span><span class="sr"> the ${isSetting(command) ? 'setting' : 'command'}: ${about}</span></button></div>`;

const readAsset = (name: string) => () => readFile(ownFile(`src/web/pages/assets/${name}`), 'utf8');

/** The files that pages load: a style sheet, one more for the kiosk, a script, and the choice of colours before both. */
export const assets = [
  { path: STYLE_PATH, type: 'text/css; charset=utf-8', read: readAsset('style.css') },
  { path: KIOSK_STYLE_PATH, type: 'text/css; charset=utf-8', read: readAsset('kiosk.css') },
  { path: THEME_PATH, type: 'text/javascript; charset=utf-8', read: readAsset('theme.js') },
  { path: SCRIPT_PATH, type: 'text/javascript; charset=utf-8', read: readAsset('live.js') },
] as const;
