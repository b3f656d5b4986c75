/** Resolves with the first SIGTERM or SIGINT; other signals can be given handlers meanwhile. A second one ends at once. */
export function untilSignal(handlers: Readonly<Partial<Record<NodeJS.Signals, () => void>>> = {}): Promise<string> {
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  return new Promise((resolve) => {
    const end = (signal: string) => {
      process.once('SIGINT', () => process.exit(130));
      process.once('SIGTERM', () => process.exit(143));
      resolve(signal);
    };
    process.once('SIGTERM', end);
    process.once('SIGINT', end);
  });
}
