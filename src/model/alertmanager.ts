/** The Alertmanagers that receive alerts. Files are read for each connection, so that they can be renewed. */
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
