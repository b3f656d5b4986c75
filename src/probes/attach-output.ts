const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const WORD = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

/** Go's escapes that JSON does not know, as `%q` writes them. */
const toJsonString = (quoted: string): string =>
  quoted.replace(/\\(?:x([0-9a-f]{2})|U([0-9a-f]{8})|([av']))/g, (_, hex?: string, long?: string) => {
    const code = Number.parseInt(hex ?? long ?? '', 16);
    return code <= 0x10ffff ? JSON.stringify(String.fromCodePoint(code)).slice(1, -1) : '?';
  });

/**
 * A value as the node's JavaScript console prints it (XDC-Subnet internal/jsre/pretty.go): like JSON, but names of
 * members stand without quotes, and what is too deep or no data as a bare word. Undefined when it is nothing like that.
 */
export function parseAttachOutput(output: string): unknown {
  const tokens = output.match(TOKEN) ?? [];
  if (output.replace(TOKEN, '').trim() !== '') return undefined;
  const json = tokens.map((token, i) => {
    if (token.startsWith('"')) return toJsonString(token);
    if (/^[{}[\],:]$/.test(token)) return token;
    if (tokens[i + 1] === ':') return JSON.stringify(token);
    // `{...}` and `[...]` stand for more than three levels.
    if (token === '...') return '';
    return WORD.test(token) ? token.toLowerCase() : 'null';
  });
  try {
    return JSON.parse(json.join(''));
  } catch {
    return undefined;
  }
}
