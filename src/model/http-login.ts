/** How to sign in at an address by HTTP, and whom to trust there. Files are read for each connection, so that they can be renewed. */
export interface HttpLogin {
  readonly basicAuth?: { readonly username: string; readonly passwordFile: string };
  /** Paths of PEM files, and the name that the certificate should carry. */
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly serverName?: string;
  };
}
