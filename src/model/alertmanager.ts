/** The Alertmanagers that are told, and what they want to see; files are read at each connection, so they may be replaced. */
export interface Alertmanagers {
  /** Base addresses; user info in one is sent as basic authentication and shown nowhere. Empty: push is off. */
  readonly urls: readonly string[];
  readonly basicAuth?: { readonly username: string; readonly passwordFile: string };
  readonly bearerTokenFile?: string;
  /** Paths of PEM files, and the name that the certificate should carry. */
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly serverName?: string;
  };
}
