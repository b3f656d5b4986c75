import { findUrlFault } from '../../../lib/find-url-fault.ts';
import { UnusableFile } from '../describe-failure.ts';
import { readSettingFile } from '../read-setting-file.ts';

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

/** The token of a Telegram bot in a file. Throws `UnusableFile`. */
export function readToken(setting: string, path: string): string {
  const token = readSecret(setting, path);
  if (/^[\w:-]+$/.test(token)) return token;
  throw new UnusableFile(`${setting}: ${path} holds no token of a bot, such as 123456:ABC-DEF`);
}
