import { isDeepStrictEqual } from 'node:util';
import { isDatabaseFailure } from '../../../lib/database-failure.ts';
import { createHttpSender } from '../../../lib/net/create-http-sender.ts';
import { sleep } from '../../../lib/promises.ts';
import type { Channel } from '../../../model/channel.ts';
import { LONGEST_NAME } from '../../../model/problem.ts';
import type { AlertIncidents } from '../../alerts/alert-incidents.ts';
import { describeError, UnusableFile } from '../describe-failure.ts';
import { formatChannel } from './delivery.ts';
import { clip } from './message-words.ts';
import { type Press, type ReadPresses, WITHIN_MS } from './read-presses.ts';
import type { SlackTarget } from './slack.ts';
import { readSlackPresses } from './slack-presses.ts';
import type { TelegramTarget } from './telegram.ts';
import { readTelegramPresses } from './telegram-presses.ts';

/** What reading the buttons needs. */
export interface ButtonsDeps extends Pick<AlertIncidents, 'acknowledge'> {
  /** Whether this instance of its fleet reads: a button is told to one reader only. */
  readonly isSpeaker: () => boolean;
  /** Reading starts to fail, or fails for another reason. */
  readonly onFailure: (why: string) => void;
  readonly onBug: (error: unknown) => void;
  readonly pauseMs?: number;
  readonly retryMs?: number;
}

/** Between two readings, and after one that failed. */
const PAUSE_MS = 1_000;
const RETRY_MS = 10_000;

const REPLIES = {
  acknowledged: 'Acknowledged.',
  over: 'The incident is over.',
  unknown: 'subnetd knows no such incident.',
  away: 'The database does not answer, so this was not stored. Try again later.',
} as const;

/** A channel with buttons. */
type ButtonChannel = Channel & { readonly target: SlackTarget | TelegramTarget };

const hasButtons = (channel: Channel): channel is ButtonChannel =>
  (channel.target.kind === 'telegram' && channel.target.buttons === true) ||
  (channel.target.kind === 'slack' && channel.target.appTokenFile !== undefined);

/** Channels of one bot are read together: it is told of each press once. */
const botOf = ({ target }: ButtonChannel): string =>
  `${target.apiUrl} ${target.kind === 'slack' ? target.appTokenFile : target.tokenFile}`;

/** Reads which buttons people press in Telegram and Slack. Starts without a channel. */
export function startButtons(deps: ButtonsDeps) {
  const { acknowledge, isSpeaker, onFailure, onBug, pauseMs = PAUSE_MS, retryMs = RETRY_MS } = deps;
  const sender = createHttpSender();
  let channels: readonly ButtonChannel[] = [];
  let ending = new AbortController();

  const onPress = async ({ incident, by }: Press): Promise<string> => {
    try {
      return REPLIES[await acknowledge(incident, clip(by, LONGEST_NAME))];
    } catch (error) {
      if (!isDatabaseFailure(error)) onBug(error);
      return REPLIES.away;
    }
  };
  const createReader = (all: readonly ButtonChannel[], { target }: ButtonChannel, setting: string): ReadPresses => {
    const chats = all.flatMap((one) => (one.target.kind === 'telegram' ? [one.target.chatId] : []));
    return target.kind === 'slack'
      ? readSlackPresses(target, setting, { sender, onPress })
      : readTelegramPresses(target, chats, setting, { sender, onPress });
  };
  const read = async (all: readonly ButtonChannel[], first: ButtonChannel, signal: AbortSignal) => {
    const setting = `notify[${first.name}].${first.target.kind}`;
    const readPresses = createReader(all, first, setting);
    let failure: string | undefined;
    while (!signal.aborted) {
      try {
        if (isSpeaker()) await readPresses(signal);
        failure = undefined;
        await sleep(pauseMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        const address = `${setting}.apiUrl`;
        const names = { address, login: address, tls: address };
        const why = error instanceof UnusableFile ? error.message : describeError(error, WITHIN_MS, names);
        if (why !== failure) onFailure(`${formatChannel(first)}: ${why}`);
        failure = why;
        await sleep(retryMs, signal);
      }
    }
  };

  return {
    /** Replaces the channels whose buttons are read. */
    set: (all: readonly Channel[]): void => {
      const next = all.filter(hasButtons);
      if (isDeepStrictEqual(next, channels)) return;
      ending.abort();
      ending = new AbortController();
      channels = next;
      for (const [, ofBot] of Map.groupBy(next, botOf))
        if (ofBot[0] !== undefined) void read(ofBot, ofBot[0], ending.signal);
    },
    stop: (): void => {
      ending.abort();
      sender.close();
    },
  };
}
