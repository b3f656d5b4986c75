/** A comment of a source file: one block, or consecutive lines that start with `//`. */
export interface SourceComment {
  /** The first line, from 1. */
  readonly line: number;
  /** Without the comment marks, on one line; a piece of code in backticks is one word. */
  readonly text: string;
}

const toText = (lines: readonly string[]): string =>
  lines
    .join(' ')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The comments that start a line of a TypeScript file. Comments after code, which are rare and short, are left out. */
export function toComments(source: string): readonly SourceComment[] {
  const comments: SourceComment[] = [];
  let open: { readonly line: number; readonly kind: 'block' | 'lines'; readonly lines: string[] } | undefined;
  const close = () => {
    if (open) comments.push({ line: open.line, text: toText(open.lines) });
    open = undefined;
  };
  source.split('\n').forEach((raw, index) => {
    const text = raw.trim();
    if (open?.kind === 'block' || text.startsWith('/**')) {
      if (open?.kind === 'lines') close();
      open ??= { line: index + 1, kind: 'block', lines: [] };
      open.lines.push(text.replace(/^\/\*\*|^\*(?!\/)/, '').replace(/\*\/$/, ''));
      if (text.endsWith('*/')) close();
      return;
    }
    if (text.startsWith('// ')) {
      open ??= { line: index + 1, kind: 'lines', lines: [] };
      open.lines.push(text.slice(3));
    } else close();
  });
  close();
  return comments;
}
