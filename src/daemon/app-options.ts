import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Shard } from '../model/shard.ts';
import type { Build } from '../tell/metrics/create-own-metrics.ts';
import type { Environment } from '../watch/inventory/substitute.ts';
import type { CheckUser } from '../web/check-user.ts';
import type { Listener } from '../web/listen.ts';
import type { Status } from '../web/to-status.ts';
import type { HistorySettings, PlatformSettings } from './settings.ts';

/** The dependencies of the program. */
export interface AppOptions {
  readonly configPath: string;
  readonly environment: Environment;
  readonly build: Build;
  readonly log: Logger;
  /** How many messages it has written, by level. */
  readonly logMessages: ReadonlyMap<string, number>;
  readonly listener: Listener;
  /** Checks a user of the web config; absent without users. */
  readonly checkUser?: CheckUser | undefined;
  /** The limit of file descriptors; undefined if unknown. */
  readonly descriptorLimit?: number | undefined;
  readonly platform: PlatformSettings;
  readonly isPublic?: boolean;
  /** For how long the history and the incidents are kept. */
  readonly history: HistorySettings;
  /** The name under which this subnetd keeps its state in a database, which others may share. */
  readonly instance: string;
  /** Which part of the inventory's subnets it watches; undefined for all. */
  readonly shard?: Shard | undefined;
  readonly publicUrl?: string;
  readonly grafanaUrl?: string;
  readonly prometheusUrl?: string;
  /** Called every second while the probes run as scheduled, from the end of the first round on. */
  readonly onRunning?: (() => void) | undefined;
  readonly clock: Clock;
}

/** The running program. */
export interface App {
  readonly status: () => Status;
  /** Reloads the inventory, all or nothing. Resolves to its errors. */
  reload(why: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}
