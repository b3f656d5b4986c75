import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from 'yaml';

/** An inventory nests ten deep. Its readers are recursive, so the depth must be bounded before. */
const MAX_DEPTH = 64;

/** The parser compares each key of a mapping with all others. */
const MAX_KEYS = 200;

/** The parser resolves each alias by a search through all anchors and aliases. */
const MAX_ANCHORS = 1_000;

/** YAML tokens: ten thousand nodes have about half a million. */
const MAX_LEXEMES = 1_000_000;

const OPTIONS = { prettyErrors: false, merge: true, stringKeys: true } as const;
const [AMPERSAND, ASTERISK] = [0x26, 0x2a];

/** A limit that the text exceeds, and where. */
export interface Excess {
  readonly offset: number;
  readonly what: string;
}

/** Is the parser in a mapping with too many keys? */
function hasManyKeys({ stack }: Parser): boolean {
  const top = stack.at(-1);
  if (top?.type === 'block-map') return top.items.length > MAX_KEYS;
  return top?.type === 'flow-collection' && top.start.source === '{' && top.items.length > MAX_KEYS;
}

/** The tokens of a text, one for each document. They end where the text exceeds a limit, which is reported. */
function* readTokens(text: string, lines: LineCounter, report: (excess: Excess) => void): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let lexemes = 0;
  let anchors = 0;
  const findExcess = (): string | undefined => {
    if (parser.stack.length > MAX_DEPTH)
      return `is nested deeper than ${MAX_DEPTH} levels, which is too deep for an inventory; look for extra brackets or dashes`;
    if (hasManyKeys(parser))
      return `has more than ${MAX_KEYS} keys in one mapping; write subnets and nodes as lists, with a dash before each`;
    if (anchors > MAX_ANCHORS) return `has more than ${MAX_ANCHORS} anchors and aliases; write out some of them`;
    if (lexemes > MAX_LEXEMES)
      return `has more than ${MAX_LEXEMES} names, values and signs; let another subnetd watch part of it`;
    return undefined;
  };
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    const first = lexeme.charCodeAt(0);
    if (first === AMPERSAND || first === ASTERISK) anchors += 1;
    yield* parser.next(lexeme);
    const what = findExcess();
    if (what !== undefined) return report({ offset: parser.offset - lexeme.length, what });
  }
  yield* parser.end();
}

/** The document, like `parseDocument` of yaml; or the limit of time or depth that the text exceeds. */
export function parseBounded(
  text: string,
  lines: LineCounter,
): { readonly document: Document.Parsed } | { readonly excess: Excess } {
  let excess: Excess | undefined;
  const tokens = readTokens(text, lines, (found) => {
    excess = found;
  });
  const [document, second] = new Composer({ ...OPTIONS, lineCounter: lines }).compose(tokens, true, text.length);
  if (excess !== undefined) return { excess };
  if (document === undefined) throw new Error('yaml composes a document of every text');
  if (second !== undefined) {
    const place: [number, number] = [second.range[0], second.range[1]];
    const what = 'Source contains multiple documents; write one document, without --- between its parts';
    document.errors.push(new YAMLParseError(place, 'MULTIPLE_DOCS', what));
  }
  return { document };
}
