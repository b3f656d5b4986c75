import type { Component } from '../../../model/target.ts';
import { isNethermindLine, isNodeLine, toPrinted } from './split-line.ts';

/** A geth client's line in JSON or logfmt. */
const GETH = /^(?:\{"t":"[^"]*","lvl":"|t=\S+ lvl=)/;

const FORMS: Readonly<Record<Component, (printed: string) => boolean>> = {
  node: (line) => isNodeLine(line) || isNethermindLine(line) || GETH.test(line),
  bootnode: (line) => isNodeLine(line) || GETH.test(line),
  // `concurrently` numbers redis and the program.
  relayer: (line) => /^\[[01]\] /.test(line),
  stats: (line) => /^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [a-z]+: |> \S+@\S+ start)/.test(line),
  // Yarn, vite and serve, one after the other.
  frontend: (line) =>
    /^(?: HTTP {2}| INFO {2}| UPDATE |yarn |vite |\$ |\[\d\/4\] |(?:info|warning|error|success) |dist\/|Done in )/.test(
      line,
    ),
};

/** Whether a program of this kind prints such lines, whatever they say. `line` is Latin-1. */
export const hasForm = (component: Component, line: string): boolean => FORMS[component](toPrinted(line));
