import type { Channel, ChannelTarget } from '../../../model/channel.ts';
import { UnusableFile } from '../describe-failure.ts';
import { readSecret, readToken, readUrl } from './read-secret.ts';

/** A file of a channel that cannot be used: the setting below the channel, and what is wrong. */
export interface FileError {
  readonly path: readonly PropertyKey[];
  readonly what: string;
}

type Read = (setting: string, path: string) => unknown;

/** The files of a channel by their settings, each with what reads it. */
function filesOf(target: ChannelTarget): readonly (readonly [string, string | undefined, Read])[] {
  switch (target.kind) {
    case 'webhook':
      return [
        ['urlFile', target.urlFile, readUrl],
        ['secretFile', target.secretFile, readSecret],
        ['bearerTokenFile', target.bearerTokenFile, readSecret],
      ];
    case 'telegram':
      return [['tokenFile', target.tokenFile, readToken]];
    case 'email':
      return [['smtpUrlFile', target.smtpUrlFile, readSecret]];
    default:
      return [['urlFile', target.urlFile, readUrl]];
  }
}

/** Reads every file that the channels name, and finds those that cannot be used. */
export const findFileErrors = (channels: readonly Channel[]): readonly FileError[] =>
  channels.flatMap(({ target }, index) =>
    filesOf(target).flatMap(([setting, path, read]): readonly FileError[] => {
      if (path === undefined) return [];
      try {
        read('', path);
        return [];
      } catch (error) {
        if (!(error instanceof UnusableFile)) throw error;
        return [{ path: ['notify', index, target.kind, setting], what: error.message.replace(/^: /, '') }];
      }
    }),
  );
