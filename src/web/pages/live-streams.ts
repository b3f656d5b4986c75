/** A page as its stream needs it: sections by their ids. */
export interface LivePage {
  readonly title: string;
  /** The URL of its icon. */
  readonly icon: string;
  /** When subnetd was started: another process may have other styles and scripts. */
  readonly startedAt: number;
  readonly sections: ReadonlyMap<string, string>;
}

export interface LiveStreamsOptions {
  /** Renders a page by its address; undefined when it is not there any more. */
  readonly render: (page: string) => LivePage | undefined;
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  readonly everyMs?: number;
  readonly busyMs?: number;
  readonly heartbeatMs?: number;
  readonly most?: number;
}

/** How often a page is rendered for all who look at it. */
const EVERY_MS = 2_000;
/** How long pages may be rendered at a time, while all else waits. Those that are left come first the next time. */
const BUSY_MS = 40;
/** A proxy closes what is silent, and a browser notices an end only when something should come. */
const HEARTBEAT_MS = 15_000;
const MOST = 2_000;
/** A client that has not taken so many events is gone, or too slow: it may come again. */
const MAX_WAITING = 8;

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** One page and everybody who looks at it. */
interface Watched {
  readonly clients: Set<Controller>;
  /** What was sent last, by section, with no text of running times. */
  known: ReadonlyMap<string, string>;
  /** When an event was last sent to all of them, in Unix milliseconds. */
  sentAt: number;
}

const encoder = new TextEncoder();
/** What a browser reads over. */
const COMMENT = encoder.encode(':\n\n');

/** The text of a time that runs differs each second; the script counts it on. */
const withoutRunning = (text: string): string => text.replace(/(<time class="ago"[^>]*>)[^<]*/g, '$1');

const toKnown = ({ sections }: LivePage): ReadonlyMap<string, string> =>
  new Map([...sections].map(([id, text]) => [id, withoutRunning(text)]));

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would keep events back.
  'x-accel-buffering': 'no',
} as const;

/**
 * Streams of server-sent events, each of which keeps one page as it is now.
 * Creates the streams. Nothing is rendered while nobody looks.
 */
export function createLiveStreams(options: LiveStreamsOptions) {
  const { render, now, onBug, everyMs = EVERY_MS, busyMs = BUSY_MS } = options;
  const { heartbeatMs = HEARTBEAT_MS, most = MOST } = options;
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;
  let sent = 0;

  const toEvent = ({ title, icon, startedAt }: LivePage, parts: ReadonlyMap<string, string>): Uint8Array => {
    sent += 1;
    const data = { at: new Date(now()).toISOString(), title, icon, startedAt, parts: Object.fromEntries(parts) };
    return encoder.encode(`id: ${sent}\nevent: parts\ndata: ${JSON.stringify(data)}\n\n`);
  };

  const drop = (page: string, client: Controller) => {
    const one = watched.get(page);
    one?.clients.delete(client);
    if (one?.clients.size === 0) watched.delete(page);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const close = (page: string, client: Controller) => {
    drop(page, client);
    try {
      client.close();
    } catch {
      // It was closed by its reader.
    }
  };

  const send = (page: string, event: Uint8Array) => {
    for (const client of watched.get(page)?.clients ?? [])
      if ((client.desiredSize ?? 0) > -MAX_WAITING) client.enqueue(event);
      else close(page, client);
  };

  /** Breaks the silence without a new state, for which there is no time now. */
  const keepOpen = (page: string, one: Watched) => {
    if (now() - one.sentAt < heartbeatMs) return;
    one.sentAt = now();
    send(page, COMMENT);
  };
  const renew = (page: string, one: Watched) => {
    const current = render(page);
    if (current === undefined) {
      for (const client of one.clients) close(page, client);
      return;
    }
    const plain = toKnown(current);
    const changed = new Map([...current.sections].filter(([id]) => plain.get(id) !== one.known.get(id)));
    one.known = plain;
    if (changed.size === 0 && now() - one.sentAt < heartbeatMs) return;
    one.sentAt = now();
    send(page, toEvent(current, changed));
  };
  const tick = () => {
    const started = performance.now();
    for (const [page, one] of [...watched]) {
      if (performance.now() - started >= busyMs) {
        keepOpen(page, one);
        continue;
      }
      watched.delete(page);
      watched.set(page, one);
      try {
        renew(page, one);
      } catch (error) {
        onBug(error);
      }
    }
  };

  return {
    /** The answer that carries the stream of a page; undefined when there are too many already. */
    open: (page: string): Response | undefined => {
      const all = [...watched.values()].reduce((sum, { clients }) => sum + clients.size, 0);
      const first = all < most ? render(page) : undefined;
      if (first === undefined) return undefined;
      let client: Controller;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          client = controller;
          const one = watched.get(page) ?? { clients: new Set<Controller>(), known: toKnown(first), sentAt: now() };
          one.clients.add(controller);
          watched.set(page, one);
          controller.enqueue(encoder.encode('retry: 3000\n\n'));
          controller.enqueue(toEvent(first, first.sections));
          timer ??= setInterval(tick, everyMs);
        },
        cancel: () => drop(page, client),
      });
      return new Response(body, { headers: HEADERS });
    },
    count: (): number => [...watched.values()].reduce((sum, { clients }) => sum + clients.size, 0),
    stop: (): void => {
      for (const [page, { clients }] of watched) for (const client of clients) close(page, client);
    },
  };
}
