import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { isDatabaseFailure } from '../../lib/database-failure.ts';
import { toIso } from '../../lib/duration.ts';
import type { MailText, SendFailure } from '../../lib/mail/create-mail-transport.ts';
import type { MailSettings } from '../../lib/mail/mail-settings.ts';
import { loadOnce, settleWithin, valueWithin } from '../../lib/promises.ts';
import {
  hashLinkToken,
  LINK_LIFE_MS,
  LINKS_AT_ONCE,
  type LinkKind,
  linkAddress,
  makeLinkToken,
} from '../model/account-link.ts';
import {
  LINK_OF,
  type MailKind,
  type MailQueue,
  type MailStore,
  type Recipient,
  type WaitingMail,
} from '../model/mail.ts';

/** Sends the mails that wait in the database, also those of an earlier process and of other replicas. */
export interface Mailer extends MailQueue {
  /** Waits a second for the mail that is being sent, then leaves it to the next process. */
  stop(): Promise<void>;
}

/** The dependencies of the mailer. */
export interface MailerDeps {
  readonly settings: MailSettings;
  /** Rejects while the database is down. */
  readonly store: () => Promise<MailStore>;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  /** How often it looks for mails that are due. */
  readonly everyMs?: number;
  /** How long a mail stays with a process that has fallen silent. */
  readonly claimMs?: number;
  /** How long a stop waits for the mail that is being sent. */
  readonly stopWithinMs?: number;
}

const EVERY_MS = 5_000;
const STOP_WITHIN_MS = 1_000;

const SILENT: SendFailure = { code: 'ETIMEDOUT', isRefused: false };
/** The process did not run, or did not reach the database, and another one sends the mail. */
const TAKEN: SendFailure = { code: 'taken', isRefused: false };
/** subnetd stops, which is not the fault of the server. */
const STOPPED: SendFailure = { code: 'stopped', isRefused: false };

/** After a new mail. The request that brought it is over by then, so its time tells nothing about the recipient. */
const SOON_MS = 250;

/** How many mails wait at most: a flood of requests cannot fill the disk. */
const MOST = 1_000;

const SEND_WITHIN_MS = 30_000;
/** Nobody else sends a mail for so long after its sender has last said that it does. */
const CLAIM_MS = 9_000;

/** The first wait after a failure; each is twice as long as the one before. */
const RETRY_MS = 15_000;
const RETRY_MOST_MS = 30 * 60_000;

/** When a mail is given up. Nobody waits an hour for a new password. */
const giveUpMs = (kind: MailKind): number => (kind === 'reset' ? 3_600_000 : 24 * 3_600_000);

/** Does the mail still make sense for its user? */
const isWanted = (kind: MailKind, { isActive }: Recipient): boolean =>
  LINK_OF[kind] === undefined || isActive === (kind === 'reset');

/** Starts the mailer. It loads nodemailer for the first mail. */
export function startMailer(deps: MailerDeps): Mailer {
  const { settings, store: openStore, log, now, everyMs = EVERY_MS, claimMs = CLAIM_MS } = deps;
  const { stopWithinMs = STOP_WITHIN_MS } = deps;
  const loaded = loadOnce(async () => {
    const [{ createMailTransport, toSendFailure }, { writeMail }] = await Promise.all([
      import('../../lib/mail/create-mail-transport.ts'),
      import('./mail-text.ts'),
    ]);
    return { ...createMailTransport(settings), toSendFailure, writeMail };
  });
  let isFailing = false;
  let stopped = false;
  const ended = Promise.withResolvers<SendFailure>();

  /** Stores a new link of the user; resolves to its hash and to what the mail says. */
  const makeLink = async (store: MailStore, kind: LinkKind, { userId, passwordVersion }: Recipient) => {
    const token = makeLinkToken();
    const hash = hashLinkToken(token);
    const expiresAt = toIso(now() + LINK_LIFE_MS[kind]);
    await store.addLink({ hash, kind, userId, passwordVersion, expiresAt });
    return { hash, address: linkAddress(settings.publicUrl, kind, token) };
  };

  /** Renews the claim until `end`; `lost` resolves when somebody else has the mail. */
  const keepClaim = (store: MailStore, claim: string) => {
    const { promise: lost, resolve } = Promise.withResolvers<SendFailure>();
    const timer = setInterval(() => {
      store.renewClaim(toIso(now()), claimMs, claim).then(
        (isOurs) => isOurs || resolve(TAKEN),
        () => {},
      );
    }, claimMs / 3);
    return { lost, end: () => clearInterval(timer) };
  };

  const send = async (to: string, text: MailText, lost?: Promise<SendFailure>): Promise<SendFailure | undefined> => {
    const { send: sendMail, toSendFailure } = await loaded.get();
    try {
      const sent = sendMail(to, text).then(() => undefined);
      return await valueWithin(SEND_WITHIN_MS, Promise.race([sent, ended.promise, ...(lost ? [lost] : [])]), SILENT);
    } catch (error) {
      return toSendFailure(error);
    }
  };

  const report = ({ kind, attempts }: WaitingMail, userId: number, failure: SendFailure, isOver: boolean) => {
    const { code, status } = failure;
    const about = { mail: kind, userId, attempts, code, status };
    if (isOver) log.error(about, 'a mail was not sent; subnetd gives up on it');
    else if (!isFailing) log.warn(about, 'a mail was not sent; subnetd will retry it and the others');
    isFailing ||= !failure.isRefused;
  };

  /** Sends one mail. Resolves to whether the server works. */
  const deliver = async (store: MailStore, mail: WaitingMail, claim: string): Promise<boolean> => {
    const { kind, attempts, createdAt } = mail;
    const recipient = await store.findRecipient(mail);
    const linkKind = LINK_OF[kind];
    if (recipient === undefined || !isWanted(kind, recipient)) {
      await store.removeMail(claim);
      return true;
    }
    const { userId, emailId } = recipient;
    const ageMs = now() - Date.parse(createdAt);
    // It has waited while subnetd was stopped, or had no mail server.
    if (ageMs > giveUpMs(kind)) {
      log.error({ mail: kind, userId, attempts }, 'a mail has waited too long; subnetd gives up on it');
      await store.removeMail(claim);
      return true;
    }
    if (linkKind !== undefined && (await store.countLinks(userId, linkKind, toIso(now()))) >= LINKS_AT_ONCE) {
      log.warn({ mail: kind, userId }, 'a mail was not sent: the user already has three valid links');
      await store.removeMail(claim);
      return true;
    }
    const link = linkKind && (await makeLink(store, linkKind, recipient));
    const { writeMail } = await loaded.get();
    const { to = emailId, change } = 'to' in mail ? mail : {};
    const facts = { publicUrl: settings.publicUrl, at: createdAt, address: link?.address, change };
    const text = writeMail(kind, change ?? recipient, facts);
    const kept = keepClaim(store, claim);
    const failure = await send(to, text, kept.lost).finally(kept.end);
    if (failure === undefined) {
      await store.removeMail(claim);
      log.info({ mail: kind, userId, attempts }, 'a mail was sent');
      isFailing = false;
      return true;
    }
    const wait = Math.min(RETRY_MOST_MS, RETRY_MS * 2 ** (attempts - 1));
    const isOver = failure.isRefused || ageMs + wait > giveUpMs(kind);
    // The mail may have come through all the same, but no link in it works.
    if (link !== undefined) await store.removeLink(link.hash);
    if (failure === TAKEN) return true;
    if (failure === STOPPED) {
      await store.postponeMail(claim, createdAt);
      return false;
    }
    await (isOver ? store.removeMail(claim) : store.postponeMail(claim, toIso(now() + wait)));
    report(mail, userId, failure, isOver);
    return failure.isRefused;
  };

  const sendAll = async () => {
    const store = await openStore();
    while (!stopped) {
      const claim = randomUUID();
      const mail = await store.claimMail(toIso(now()), claimMs, claim);
      if (mail === undefined || !(await deliver(store, mail, claim))) return;
    }
  };

  let running: Promise<void> | undefined;
  const run = () => {
    if (stopped) return;
    running ??= sendAll()
      .catch((error) => {
        // An outage of the database is in the log already.
        if (!isDatabaseFailure(error)) deps.onBug(error);
      })
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(run, everyMs);
  timer.unref();
  run();

  return {
    add: async (mail) => {
      const isAdded = await (await openStore()).addMail(mail, toIso(now()), MOST);
      if (!isAdded)
        log.warn({ mail: mail.kind }, 'a mail was refused because too many are waiting; find out why none is sent');
      setTimeout(run, SOON_MS).unref();
      return isAdded;
    },
    sendTest: async (userId) => {
      const recipient = await (await openStore()).findRecipient({ userId });
      if (recipient === undefined) throw new Error('a test mail for nobody');
      const { writeMail } = await loaded.get();
      return send(recipient.emailId, writeMail('test', recipient, { publicUrl: settings.publicUrl, at: toIso(now()) }));
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      if (running !== undefined) await settleWithin(stopWithinMs, running);
      ended.resolve(STOPPED);
      await running;
    },
  };
}
