/** One request from the server, which has put its id into the header `x-request-id`. */
export interface ReceivedRequest {
  readonly request: Request;
  /** The remote address of the socket. */
  readonly remoteAddress: string | undefined;
  /** Breaks the connection of an answer that cannot be completed. */
  readonly breakOff?: () => void;
  /** Receives the pattern of the path, for metrics. */
  readonly onRoute?: (route: string) => void;
}
