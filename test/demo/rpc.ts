/** A clock that only a test moves. Unix milliseconds. */
export const createClock = (start = Date.UTC(2026, 0, 2, 3, 4, 5)) => {
  let ms = start;
  return {
    now: () => ms,
    pass: (seconds: number): void => {
      ms += seconds * 1000;
    },
  };
};

/** Posts a body as JSON and gives the answer's status, type and text. */
export const post = async (url: string, body: unknown, type = 'application/json') => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** One call; gives the whole answer. */
export const call = async (url: string, method: string, params?: unknown): Promise<Answer> =>
  JSON.parse((await post(url, { jsonrpc: '2.0', id: 1, method, params })).text) as Answer;

/** A block as `XDPoS_getV2BlockByNumber` gives it. */
export interface V2Block {
  readonly Hash: string;
  readonly Round: number;
  readonly Number: number | null;
  readonly ParentHash: string;
  readonly Committed: boolean;
  readonly Miner: string;
  readonly Timestamp: number | null;
  readonly EncodedRLP: string;
  readonly Error: string;
}

/** The result of `XDPoS_getV2BlockByNumber`. */
export const block = async (url: string, tag?: unknown): Promise<V2Block> =>
  (await call(url, 'XDPoS_getV2BlockByNumber', tag === undefined ? [] : [tag])).result as V2Block;

/** Whether nobody listens at a URL. */
export const isRefused = async (url: string): Promise<boolean> => {
  try {
    await (await fetch(url)).text();
    return false;
  } catch (error) {
    return (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED';
  }
};
