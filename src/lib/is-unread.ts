/** Does an error of a stream mean that nobody reads it any more? A terminal that was closed answers EIO, and a pipe EPIPE. */
export const isUnread = ({ code }: NodeJS.ErrnoException, isTerminal: boolean): boolean =>
  code === 'EPIPE' || (code === 'EIO' && isTerminal);
