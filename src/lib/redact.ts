/** Stands for what was left out. */
export const LEFT_OUT = '[redacted]';

/** Longer lines are cut before anything is searched in them, so that one line costs little. */
export const MAX_READ = 2 * 1024;
/** The longest line that is shown. */
const MAX_SHOWN = 500;
/** What is longer is not found. */
const LONGEST_USER_INFO = 1024;

/** Words after which a value is a secret: as the name of a setting, a JSON member, a header or a flag. */
const NAME =
  'secret|passw(?:or)?d|pwd|token|api[-_]?key|access[-_]?key|priv(?:ate)?[-_]?key|keystore[-_]?pass|credentials?|jwt|session[-_]?id|(?<![a-z])pk';
/** A quoted text, also one that is not closed; a list; or what comes before the next blank or quote. */
const VALUE = String.raw`\\*"(?:\\.|[^"\\])*"?|\\*'(?:\\.|[^'\\])*'?|\[[^\]]*\]?|[^\s"'<>]+`;
/** The stats server names the address of a node with a wrong secret after that word. */
const NO_ADDRESS = String.raw`(?!(?:::ffff:)?\d{1,3}(?:\.\d{1,3}){3}(?:\s|$))`;

const named = new RegExp(
  String.raw`((?:${NAME})[\w-]{0,32}\\*["']?\s{0,4}(?:=>|[:=])\s{0,4}|--?(?:${NAME})[\w-]{0,32}\s{1,4})${NO_ADDRESS}(?:(?:bearer|basic|digest)\s+)?(?:${VALUE})`,
  'gi',
);
/** The value of these may have several words. */
const wordy =
  /((?:authorization|cookie|mnemonic|passphrase|(?:seed|recovery)[-_ ]?phrase)\\*["']?\s{0,4}[:=]\s{0,4})(?:\\*"(?:\\.|[^"\\])*"?|\\*'(?:\\.|[^'\\])*'?|[^\s"'].*$)/gi;

const ENODE = /^enode:\/\/[0-9a-f]{128}@$/i;
const userInfo = [
  // A password with a slash, which the standard forbids.
  /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"'<>]{0,256}:(?!\d{1,5}(?:[/?#]|$))[^\s"'<>]{1,512}@/gi,
  /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/?#"'<>]{0,1024}@/gi,
] as const;
/** The address of a stats server as a node is started with: `NAME:SECRET@HOST:PORT`. */
const bareUserInfo = /(?<![\w/@.-])[\w.-]{1,128}:[^\s"'<>]{1,256}@(?=[\w.[-])/g;

const HEX_KEY = '(?:0x)?(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])';
const KEY_WORD = 'private|secret|key|(?<![a-z])pk|wallet|seed|signer|account';
const keys = [
  new RegExp(String.raw`((?:${KEY_WORD})[^\n]{0,40}?)${HEX_KEY}`, 'gi'),
  new RegExp(String.raw`${HEX_KEY}(?=[^\n]{0,40}?(?:private|secret))`, 'gi'),
  // Programs of a subnet print hashes with 0x, or cut.
  /(?<![0-9a-z:])[0-9a-f]{64}(?![0-9a-z])/gi,
] as const;

const tokens = [
  /\beyJ[\w-]{8,2048}\.[\w-]{4,4096}(?:\.[\w-]{0,2048})?/g,
  /\bsubnetd_[\w-]{16,}/g,
  /\b(?:xox[a-z]-|gh[a-z]_)[\w-]{16,}/g,
  /\b\d{6,12}:[\w-]{30,}/g,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
] as const;

/** Addresses whose path is their secret. */
const webhook = /\b((?:hooks\.slack\.com|discord(?:app)?\.com|api\.telegram\.org)(?::\d{1,5})?\/)[^\s"'<>]+/gi;
const inUrl = /:\/\/[^\s"'<>]{1,2048}/g;
/** A part of a path or query that no person chose, such as the project of a public RPC service; but no hash. */
const looksRandom = (part: string): boolean => part.length >= 20 && /\d/.test(part) && !/^0x/i.test(part);
const withoutTokens = (url: string): string =>
  url.replace(/(?<=[/=])[\w~-]{20,}/g, (part) => (looksRandom(part) ? LEFT_OUT : part));

const PEM_BEGIN = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----.*$/;
const PEM_END = /-----END [A-Z ]{0,20}PRIVATE KEY-----/;
const PEM_BODY = /^\s*[A-Za-z0-9+/]{60,76}={0,2}\s*$/;

const ESC = String.fromCharCode(27);
const colours = new RegExp(String.raw`${ESC}\[[0-9;?]{0,16}[A-Za-z]`, 'g');
/** Control characters, and those that change the direction of text. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function redactLine(line: string, known: readonly string[]): string {
  const isLong = line.length > MAX_READ;
  let text = isLong ? line.slice(0, MAX_READ) : line;
  text = text.replace(colours, '').replace(unseen, ' ');
  for (const secret of known) text = text.replaceAll(secret, LEFT_OUT);
  text = text.replace(PEM_BEGIN, LEFT_OUT);
  text = text.replace(wordy, `$1${LEFT_OUT}`).replace(named, `$1${LEFT_OUT}`);
  for (const one of userInfo)
    text = text.replace(one, (found) =>
      ENODE.test(found) ? found : `${found.slice(0, found.indexOf('://') + 3)}${LEFT_OUT}@`,
    );
  text = text.replace(bareUserInfo, (found) => (found.includes('://') ? found : `${LEFT_OUT}@`));
  text = text.replace(webhook, `$1${LEFT_OUT}`).replace(inUrl, withoutTokens);
  for (const one of tokens) text = text.replace(one, LEFT_OUT);
  text = text.replace(keys[0], `$1${LEFT_OUT}`).replace(keys[1], LEFT_OUT).replace(keys[2], LEFT_OUT);
  // The last word of a line that was cut may be half of user info. If much was left out before, it would be shown.
  if (isLong && text.length < MAX_READ - LONGEST_USER_INFO + MAX_SHOWN) text = text.slice(0, text.lastIndexOf(' ') + 1);
  return isLong || text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/**
 * Lines of a log as they may be shown, one for each. Left out are user info of URLs, values that are named as secrets,
 * tokens, private keys, and the `known` secrets. Control characters become blanks, and a line is cut at 500 characters.
 * The lines must follow each other: a key may have several.
 */
export function redactLines(lines: readonly string[], known: readonly string[] = []): readonly string[] {
  const longestFirst = known.toSorted((one, other) => other.length - one.length);
  let isInKey = false;
  return lines.map((line) => {
    if (isInKey) {
      isInKey = !PEM_END.test(line);
      return LEFT_OUT;
    }
    isInKey = PEM_BEGIN.test(line) && !PEM_END.test(line);
    // The start of a key may have been too far back.
    return PEM_BODY.test(line) || PEM_END.test(line) ? LEFT_OUT : redactLine(line, longestFirst);
  });
}
