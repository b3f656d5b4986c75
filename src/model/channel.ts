import type { HttpLogin } from './http-login.ts';
import type { ProblemSeverity } from './severity.ts';

/** The Alertmanagers that receive alerts. Files are read for each connection, so that they can be renewed. */
export interface Alertmanagers extends HttpLogin {
  /** Base addresses; user info in one is sent as basic authentication and shown nowhere. Empty: push is off. */
  readonly urls: readonly string[];
  readonly bearerTokenFile?: string;
}

/** Where a channel sends its messages. Secrets are in files, which are read for each message. */
export type ChannelTarget =
  | {
      readonly kind: 'webhook';
      readonly url?: string | undefined;
      readonly urlFile?: string | undefined;
      /** The key of the signature. */
      readonly secretFile?: string | undefined;
      readonly bearerTokenFile?: string | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly kind: 'slack';
      readonly urlFile: string;
      /** The token of an app. With it, messages have buttons that acknowledge, and subnetd reads who presses them. */
      readonly appTokenFile?: string | undefined;
      /** The Web API, without a slash at its end. */
      readonly apiUrl: string;
    }
  | { readonly kind: 'discord'; readonly urlFile: string }
  | {
      readonly kind: 'telegram';
      readonly tokenFile: string;
      readonly chatId: string;
      readonly threadId?: number | undefined;
      /** Messages have buttons that acknowledge, and subnetd reads who presses them. */
      readonly buttons?: boolean | undefined;
      /** The Bot API server, without a slash at its end. */
      readonly apiUrl: string;
    }
  | {
      readonly kind: 'pagerduty';
      /** A file with the integration key. */
      readonly keyFile: string;
      /** Without a slash at its end. */
      readonly apiUrl: string;
    }
  | {
      readonly kind: 'ntfy';
      /** A file with the address of the topic, whose name is as good as a password. */
      readonly urlFile: string;
      readonly tokenFile?: string | undefined;
    }
  | {
      readonly kind: 'email';
      readonly to: readonly string[];
      readonly from?: string | undefined;
      /** A mail server of its own. */
      readonly smtpUrlFile?: string | undefined;
    };

/** A request that an outside service expects, and whose absence it reports. */
export interface Heartbeat {
  /** A file with the address, which is a secret. */
  readonly urlFile: string;
  readonly everyMs: number;
}

/** A way to people, without an Alertmanager. */
export interface Channel {
  readonly name: string;
  readonly target: ChannelTarget;
  /** The severities of the alerts that it gets. */
  readonly severities: readonly ProblemSeverity[];
  /** How long after the last message the firing alerts are sent again; undefined for never. */
  readonly repeatMs?: number | undefined;
  /** It gets only alerts that have fired for this long, and that nobody has acknowledged. */
  readonly afterMs?: number | undefined;
}
