import { findUrlFault } from '../../../lib/addresses.ts';
import type { ChannelTarget } from '../../../model/channel.ts';
import type { Inventory } from '../../../model/target.ts';
import { readSettingFile, UnusableFile } from '../describe-failure.ts';

/** The content of a file without blanks at its ends. Throws `UnusableFile`, which names the setting and the path. */
export function readSecret(setting: string, path: string): string {
  const text = readSettingFile(setting, path).trim();
  if (text === '') throw new UnusableFile(`${setting}: ${path} is empty; write the secret into it`);
  return text;
}

/** The URL in a file. Throws `UnusableFile`. */
export function readUrl(setting: string, path: string): URL {
  const text = readSecret(setting, path);
  const fault = findUrlFault(text, true);
  if (fault !== undefined) throw new UnusableFile(`${setting}: the address in ${path}: ${fault}`);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UnusableFile(`${setting}: ${path} holds no URL; write the whole address into it, with https://`);
  return url;
}

/** A reader of files with one secret that looks like this. It throws `UnusableFile`. */
const createReader =
  (pattern: RegExp, what: string) =>
  (setting: string, path: string): string => {
    const secret = readSecret(setting, path);
    if (pattern.test(secret)) return secret;
    throw new UnusableFile(`${setting}: ${path} holds no ${what}`);
  };

/** The token of a Telegram bot. */
export const readToken = createReader(/^[\w:-]+$/, 'token of a bot, such as 123456:ABC-DEF');

/** The app-level token of Slack. */
export const readAppToken = createReader(/^xapp-[\w-]+$/, 'app-level token of Slack, which begins with xapp-');

/** The integration key of PagerDuty. */
export const readRoutingKey = createReader(/^\w{32}$/, 'integration key of PagerDuty, which has 32 letters and digits');

/** The key that signs webhooks. */
export const readSigningKey = createReader(
  /^(?:(?!whsec_)|whsec_[A-Za-z\d+/]+=*$)/,
  'secret of Standard Webhooks: what follows whsec_ is not Base64',
);

/** The address of a topic of ntfy in a file. Throws `UnusableFile`. */
export function readTopicUrl(setting: string, path: string): URL {
  const url = readUrl(setting, path);
  if (/\/[\w-]{1,64}$/.test(url.pathname)) return url;
  throw new UnusableFile(`${setting}: ${path} names no topic; write an address such as https://ntfy.sh/TOPIC into it`);
}

/** A file of a channel that cannot be used: the setting below the channel, and what is wrong. */
export interface FileError {
  readonly path: readonly PropertyKey[];
  readonly what: string;
}

type Read = (setting: string, path: string) => unknown;

/** The files of a channel by their settings, each with what reads it. */
function filesOf(target: ChannelTarget): readonly (readonly [string, string | undefined, Read])[] {
  switch (target.kind) {
    case 'webhook':
      return [
        ['urlFile', target.urlFile, readUrl],
        ['secretFile', target.secretFile, readSigningKey],
        ['bearerTokenFile', target.bearerTokenFile, readSecret],
      ];
    case 'slack':
      return [
        ['urlFile', target.urlFile, readUrl],
        ['appTokenFile', target.appTokenFile, readAppToken],
      ];
    case 'telegram':
      return [['tokenFile', target.tokenFile, readToken]];
    case 'pagerduty':
      return [['keyFile', target.keyFile, readRoutingKey]];
    case 'ntfy':
      return [
        ['urlFile', target.urlFile, readTopicUrl],
        ['tokenFile', target.tokenFile, readSecret],
      ];
    case 'email':
      return [['smtpUrlFile', target.smtpUrlFile, readSecret]];
    default:
      return [['urlFile', target.urlFile, readUrl]];
  }
}

/** What is wrong with a file that a setting names, if anything is. */
function findFileError(path: readonly PropertyKey[], file: string | undefined, read: Read): readonly FileError[] {
  if (file === undefined) return [];
  try {
    read('', file);
    return [];
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    return [{ path, what: error.message.replace(/^: /, '') }];
  }
}

/** Reads every file that channels and heartbeats name, and finds those that cannot be used. */
export const findFileErrors = ({
  channels = [],
  heartbeats = [],
}: Pick<Inventory, 'channels' | 'heartbeats'>): readonly FileError[] => [
  ...channels.flatMap(({ target }, index) =>
    filesOf(target).flatMap(([setting, file, read]) =>
      findFileError(['notify', index, target.kind, setting], file, read),
    ),
  ),
  ...heartbeats.flatMap(({ urlFile }, index) => findFileError(['heartbeat', index, 'urlFile'], urlFile, readUrl)),
];
