import { describe, expect, test } from 'vitest';
import { judgeSavedLog } from '../../../../src/cli/judge-saved-log.ts';
import type { Component } from '../../../../src/model/target.ts';
import { writeLog } from '../../../support/recordings.ts';

/** The reason of the only check of a saved log, without the advice to read it. */
async function reasonOf(component: Component, ...lines: readonly string[]): Promise<string> {
  const { checks } = await judgeSavedLog(component, writeLog(`${lines.join('\n')}\n`));
  expect(checks.length).toBe(1);
  return `${checks[0]?.verdict}: ${checks[0]?.reason}`.replace(/; read the log of the (relayer|frontend)$/, '');
}

const relayerLine = (msg: string): string =>
  `[1] ${JSON.stringify({ name: 'xdc-relayer', hostname: 'h', pid: 1, level: 50, msg, time: '2026-11-21T09:00:00.000Z', v: 0 })}`;

/** As util.format prints an error of the relayer, in its own quotes where the text has none of them. */
const whyNot = async (text: string): Promise<string> => {
  const reason = await reasonOf(
    'relayer',
    relayerLine(
      `Fail to submit transactions into PARENTNET { message: ${text.includes("'") ? `"${text}"` : `'${text}'`} }`,
    ),
  );
  return reason.replace('fail: the relayer (FULL) has been failing since its last submission: ', '');
};

describe('a relayer says why its transaction failed', () => {
  const REFUSED =
    'the checkpoint contract refused the blocks; check that the checkpoint contract belongs to this subnet';
  const THERE =
    'the checkpoint contract has these blocks already; wait, as after ten tries the relayer starts over behind them; if it goes on, let one relayer alone submit to this contract';
  const NO_FUNDS = 'the wallet of the relayer is out of funds; fund it';
  const BASE_FEE = 'the parent chain wants a higher gas price than the relayer pays; wait until it falls';
  const WAITS =
    'an older transaction from the wallet is still waiting in the pool of the parent chain; wait, or replace it by hand';
  const MINIMUM =
    'the parent chain demands a higher minimum gas price than the relayer pays; set PARENTNET_URL to a node with a lower minimum, lower it there (`--gasprice`), or take a relayer that pays more';
  const NONCE_LOW =
    'the parent chain already has newer transactions from the wallet, as happens when a second program sends from it; give each relayer a wallet of its own and let nothing else send from it; it reads the nonce anew for each transaction';
  const NONCE_HIGH =
    'the parent chain lacks an earlier transaction from the wallet; restart the relayer so that it reads the nonce again, and see that all nodes behind PARENTNET_URL are at the same block';
  const KNOWN =
    'the parent chain already has this transaction, but has not mined it yet; wait until it is mined; if it never is, the gas price is too low or two relayers use one wallet';
  const INTRINSIC =
    'the gas limit of the transaction is below what its data alone needs; take a relayer that fits the gas rules of the parent chain, or have it send fewer blocks at once';
  const BLOCK_GAS =
    'the transaction needs more gas than a block of the parent chain holds; wait while the relayer tries fewer blocks at once; if one block alone is too much, raise the limit of the parent chain';
  const TOO_LARGE =
    'the transaction is larger than the parent chain takes; wait while the relayer tries fewer blocks at once; if it lasts, raise the limit of the node or proxy of PARENTNET_URL';
  const POOL_FULL =
    'the pool of the parent chain takes no more transactions; wait until it has fewer; if it lasts, raise the gas price or the pool limit of the node of PARENTNET_URL';
  const DNS =
    'the host name of the parent chain cannot be resolved; check the host name in PARENTNET_URL and the name server of the container';
  const EXPIRED =
    'the certificate of the parent chain has expired; check the clock of the machine; if it is right, have the certificate renewed, or set another address in PARENTNET_URL';
  const UNTRUSTED =
    'the certificate of the parent chain is not trusted, or it does not speak TLS; check the address in PARENTNET_URL; if a proxy opens TLS, give its certificate to the container by NODE_EXTRA_CA_CERTS';
  const LIMITED =
    'the parent chain has had too many requests and refuses more for now; raise its limit, or set an address without a limit in PARENTNET_URL';
  const RIGHTS =
    'the parent chain does not authorise the request; check the key or password in PARENTNET_URL, and whether it admits this machine';
  const SERVER =
    'the parent chain, or the proxy in front of it, answers with a server error; wait some minutes; if it lasts, repair the server behind that proxy, or set another address in PARENTNET_URL';
  const LATE =
    'the parent chain did not answer in time; check the address in PARENTNET_URL, and the route and the firewall between it and the container';
  const CLOSED_PORT =
    'nothing listens at the address of the parent chain; start it, or correct the address in PARENTNET_URL';
  const CUT =
    'the connection to the parent chain was cut; see that it, and the proxy or firewall on the way, run; check the address in PARENTNET_URL';
  const UNKNOWN_BLOCK =
    'the node of PARENTNET_URL does not have the block that the relayer asks about; see that all nodes behind PARENTNET_URL are at the same block, or set the address of a single one';
  const NO_KEY =
    'the relayer asks the node of PARENTNET_URL to sign the transaction, which has no unlocked account for it; set PARENTNET_WALLET_PK in common.env to the key of the wallet, and recreate the relayer';

  test.each([
    ['Transaction has been reverted by the EVM:', REFUSED],
    ['Returned error: execution reverted: nonce too low', REFUSED],
    ['execution reverted: "Validator" (action="estimateGas", code=CALL_EXCEPTION, version=6.13.0)', REFUSED],
    ['Execution reverted with reason: not a validator.', REFUSED],
    ['Returned error: execution reverted: Old Block', THERE],
    ['Returned error: gas required exceeds allowance or always failing transaction', REFUSED],
    ['Returned error: insufficient funds for gas * price + value', NO_FUNDS],
    ['cannot estimate gas; [ error={"reason":"insufficient funds for intrinsic transaction cost"} ]', NO_FUNDS],
    [
      'The total cost (gas * gas fee + value) of executing this transaction exceeds the balance of the account.',
      NO_FUNDS,
    ],
    ['Returned error: InsufficientFunds, Account balance: 1, cumulative cost: 2', NO_FUNDS],
    ['Returned error: Upfront cost exceeds account balance', NO_FUNDS],
    ['Returned error: max fee per gas less than block base fee: address 0x1, baseFee: 7', BASE_FEE],
    ['The fee cap (`maxFeePerGas` = 1 gwei) cannot be lower than the block base fee.', BASE_FEE],
    ['Returned error: FeeTooLowToCompete, MaxFeePerGas: 1', BASE_FEE],
    ['Returned error: replacement transaction underpriced', WAITS],
    ['replacement fee too low (code=REPLACEMENT_UNDERPRICED, version=6.13.0)', WAITS],
    ['Returned error: gas price below minimum', MINIMUM],
    ['Returned error: under min gas price', MINIMUM],
    ['Returned error: transaction underpriced: tip needed 1, tip permitted 0', MINIMUM],
    ['Returned error: Gas price below configured minimum gas price', MINIMUM],
    ['Returned error: nonce too low: next nonce 7, tx nonce 6', NONCE_LOW],
    ['nonce has already been used (transaction="0x", code=NONCE_EXPIRED, version=6.13.0)', NONCE_LOW],
    ['Nonce provided for the transaction is lower than the current nonce of the account.', NONCE_LOW],
    ['Returned error: OldNonce, Current nonce: 7, nonce of rejected tx: 6', NONCE_LOW],
    ['Returned error: nonce too high', NONCE_HIGH],
    ['Nonce provided for the transaction is higher than the next one expected.', NONCE_HIGH],
    ['Returned error: NonceGap, Future nonce. Expected nonce: 7', NONCE_HIGH],
    ['Returned error: already known', KNOWN],
    ['Returned error: known transaction: 0x12', KNOWN],
    ['Returned error: Transaction with the same hash was already imported.', KNOWN],
    ['Returned error: intrinsic gas too low: gas 1, minimum needed 21000', INTRINSIC],
    ['The amount of gas (`gas` = 1) provided for the transaction is too low.', INTRINSIC],
    ['Returned error: exceeds block gas limit', BLOCK_GAS],
    ['Returned error: GasLimitExceeded, Gas limit: 1', BLOCK_GAS],
    ['getaddrinfo ENOTFOUND rpc.example', DNS],
    ['getaddrinfo EAI_AGAIN rpc.example', DNS],
    ['certificate has expired', EXPIRED],
    ['request to https://rpc.example/ failed, reason: CERT_HAS_EXPIRED', EXPIRED],
    ['self-signed certificate in certificate chain', UNTRUSTED],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
    ["Hostname/IP does not match certificate's altnames: Host: rpc.example.", UNTRUSTED],
    ['Returned error: rate limit exceeded', LIMITED],
    ['Request failed with status code 429', LIMITED],
    ['Returned error: {"code":-32005,"message":"daily request count exceeded"}', LIMITED],
    ['Request failed with status code 401', RIGHTS],
    ['server response 403 Forbidden (request={ }, response={ }, code=SERVER_ERROR, version=6.13.0)', RIGHTS],
    ['Returned error: invalid project id', RIGHTS],
    ['Invalid JSON RPC response: "<html>502 Bad Gateway</html>"', SERVER],
    ['bad response (status=503, code=SERVER_ERROR, version=web/5.7.1)', SERVER],
    ['HTTP request failed. Status: 500 URL: https://rpc.example', SERVER],
    ['timeout of 10000ms exceeded', LATE],
    ['connect ETIMEDOUT 192.0.2.9:443', LATE],
    ['The request took too long to respond.', LATE],
    ['connect ECONNREFUSED 192.0.2.9:8545', CLOSED_PORT],
    ['read ECONNRESET', CUT],
    ['socket hang up', CUT],
    // The same in the words of other clients, libraries, proxies and providers.
    ['Returned error: VM execution error.', REFUSED],
    ['Returned error: transaction nonce 1 below sender account nonce 4', NONCE_LOW],
    ['Returned error: Replacement transaction underpriced', WAITS],
    ['Returned error: insufficient gas for floor data gas cost: gas 1, minimum needed 2', INTRINSIC],
    ['Invalid JSON RPC response: "error code: 520"', SERVER],
    ['<!DOCTYPE html><head><title>rpc.example | 521: Web server is down</title>', SERVER],
    ['Invalid JSON RPC response: "no healthy upstream"', SERVER],
    ['Returned error: Internal error', SERVER],
    ['Invalid JSON RPC response: "error code: 1015"', LIMITED],
    ['Returned error: Your app has exceeded its compute units per second capacity.', LIMITED],
    ['Returned error: Timeout on the free tier, please upgrade your tier to the paid one', LIMITED],
    ['Returned error: Public RPC Rate Limit Hit, limit will reset in 60 seconds', LIMITED],
    ['Returned error: CU limit exceeded', LIMITED],
    ['Invalid JSON RPC response: "error code: 1020"', RIGHTS],
    ['Returned error: API key is not allowed to access blockchain', RIGHTS],
    ['Returned error: project ID is required', RIGHTS],
    ['Returned error: this IP address is not whitelisted', RIGHTS],
    ['Invalid JSON RPC response: "invalid host specified"', RIGHTS],
    ['queryA ESERVFAIL rpc.example', DNS],
    ['Invalid response body while trying to fetch https://rpc.example: Premature close', CUT],
    [
      'Invalid JSON RPC response: "Client sent an HTTP request to an HTTPS server."',
      'the parent chain speaks only TLS at this address; write https:// in place of http:// in PARENTNET_URL',
    ],
    [
      'Invalid JSON RPC response: {}',
      'the parent chain does not answer properly; see that the node that PARENTNET_URL names answers, and does not refuse the relayer',
    ],
    [
      'JsonRpcProvider failed to detect network and cannot start up; retry in 1s',
      'the parent chain does not answer; check PARENTNET_URL and that node',
    ],
    [
      'Returned error: tx fee (1.50 ether) exceeds the configured cap (1.00 ether)',
      'the fee of the transaction is above the limit that the node of PARENTNET_URL sets; raise its --rpc.txfeecap, or set another address in PARENTNET_URL',
    ],
    [
      'Returned error: node is syncing',
      'the node of PARENTNET_URL has not caught up with its chain; wait until it has, or set another address in PARENTNET_URL',
    ],
    [
      'Returned error: the method eth_sendRawTransaction does not exist/is not available',
      'the node of PARENTNET_URL does not serve a method that the relayer needs; let it serve eth_sendRawTransaction and the others of eth, or set another address in PARENTNET_URL',
    ],
    ['Request failed with status code 413', TOO_LARGE],
    ['Returned error: oversized data', TOO_LARGE],
    ['Returned error: There are too many transactions in the queue. Your transaction was dropped.', POOL_FULL],
    ['Returned error: txpool is full', POOL_FULL],
    ['Returned error: header not found', UNKNOWN_BLOCK],
    ['Returned error: header for hash not found', UNKNOWN_BLOCK],
    [
      'Returned error: missing trie node 5b0c1f (path ) <nil>',
      'the node of PARENTNET_URL has lost the state of a block; let it sync again, or set another address in PARENTNET_URL',
    ],
    ['Returned error: authentication needed: password or unlock', NO_KEY],
    ['Returned error: unknown account', NO_KEY],
    ['something that nobody knows', 'a transaction failed; read the lines of the relayer'],
  ])('%s', async (text, reason) => {
    expect(await whyNot(text)).toBe(reason);
  });

  test('and nothing of the address in the text', async () => {
    const reason = await whyNot('HTTP request failed. Status: 401 URL: https://user:hunter2@rpc.example/v3/0123abcd');
    expect(reason).toBe(RIGHTS);
  });
});

const redisLine = (text: string, sign = '#') => `[0] 12:M 21 Nov 2026 09:00:05.205 ${sign} ${text}`;
const cycle = relayerLine('⏰ Full Relayer: Executing normal flow periodically');

describe('a relayer whose redis takes no data', () => {
  const start = 'fail: the relayer cannot work: ';
  const captured =
    'its redis was made a replica of another server by someone else; close port 6379 of its container to the outside, recreate the container, and treat the keys in common.env as stolen';
  const replica = redisLine("REPLICAOF 203.0.113.7:8886 enabled (user request from 'id=31 addr=203.0.113.7:5')", '*');

  test('for a full disk, names the disk until it saves again', async () => {
    const full = [
      cycle,
      redisLine('Write error saving DB on disk(rdbSaveRio): No space left on device'),
      redisLine('Background saving error'),
    ];
    expect(await reasonOf('relayer', ...full)).toBe(
      `${start}its redis cannot save, as the disk is full, and therefore takes no more; free space on the disk of Docker (\`docker system df\` shows what fills it), and restart the container`,
    );
    const saved = redisLine('Background saving terminated with success', '*');
    expect(await reasonOf('relayer', ...full, saved)).toMatch(/^pass: /);
  });

  test('for a reason that its log does not name, says that it cannot save', async () => {
    const reason = `${start}its redis cannot save its data and therefore takes no more; free the disk of Docker (\`docker system df\`), or give the container more memory if it is not full`;
    expect(await reasonOf('relayer', cycle, redisLine('Background saving error'))).toBe(reason);
    expect(await reasonOf('relayer', cycle, '[1] ReplyError: MISCONF Redis is configured to save RDB')).toBe(reason);
  });

  test('for lack of memory, says so', async () => {
    const line = redisLine("Can't save in background: fork: Cannot allocate memory");
    expect(await reasonOf('relayer', cycle, line)).toBe(
      `${start}its redis cannot save for lack of memory, and therefore takes no more; give its container or the machine more memory, and restart the container`,
    );
  });

  test('as a stranger has made it a replica, says to close its port, until it is a master again', async () => {
    expect(await reasonOf('relayer', cycle, replica, redisLine('Background saving error'))).toBe(start + captured);
    const full = redisLine('Write error saving DB on disk(rdbSaveRio): No space left on device');
    expect(await reasonOf('relayer', cycle, full, replica, full)).toBe(start + captured);
    const master = redisLine("MASTER MODE enabled (user request from 'id=3 addr=127.0.0.1:5')", '*');
    expect(await reasonOf('relayer', cycle, replica, master)).toMatch(/^pass: /);
    const readOnly =
      "[1] ReplyError: READONLY You can't write against a read only replica. script: e8, on @user_script:3.";
    expect(await reasonOf('relayer', cycle, readOnly)).toMatch(
      /because someone else made it a replica of another server; close port 6379/,
    );
  });
});

describe('a relayer whose redis others use', () => {
  // What they store may fill the disk.
  const full = redisLine('Write error saving DB on disk: No space left on device');
  const takenBy = async (line: string) =>
    (await reasonOf('relayer', cycle, line, full)).replace(/; close port 6379.*/, '');

  test.each([
    'Failed opening the RDB file root (in server root dir /var/spool/cron) for saving: Permission denied',
    'Failed opening the temp RDB file temp-9.rdb (in server root dir /etc/cron.d) for saving: No space left on device',
    "Module 'system' loaded from ./red2.so",
  ])('%s', async (text) => {
    expect(await takenBy(redisLine(text))).toBe(
      'fail: the relayer cannot work: someone else sends commands to its redis',
    );
  });

  test('and not one that cannot write to its own folder', async () => {
    const own = 'Failed opening the temp RDB file temp-9.rdb (in server root dir /data) for saving: Permission denied';
    expect(await reasonOf('relayer', cycle, redisLine(own), redisLine('Background saving error'))).toMatch(
      /its redis cannot save its data/,
    );
  });

  test('an older redis, and another client of it', async () => {
    const made = 'fail: the relayer cannot work: its redis was made a replica of another server by someone else';
    expect(await takenBy(redisLine("SLAVE OF 203.0.113.7:8886 enabled (user request from 'id=3')", '*'))).toBe(made);
    const readOnly = relayerLine('Fail to process full relayer job ReplyError: READONLY You can');
    expect(await reasonOf('relayer', cycle, readOnly)).toMatch(
      /accepts no data because someone else made it a replica/,
    );
  });
});

test('a relayer whose redis is full, or that was killed, says so', async () => {
  expect(await reasonOf('relayer', cycle, '[1] ReplyError: OOM command not allowed when used memory')).toBe(
    'fail: the relayer cannot work: its redis has used up its memory and therefore takes no more; give its container or the machine more memory, and restart the container',
  );
  expect(await reasonOf('relayer', cycle, '[1] sleep 5s; npm run start exited with code SIGKILL')).toBe(
    'fail: the relayer died just now (09:00:00 UTC) while its container lives on: it was killed, as happens when memory runs out; give its container or the machine more memory, and restart the container',
  );
});

const HEAP =
  'its program ran out of memory: the heap of Node.js reached its limit; set NODE_OPTIONS=--max-old-space-size=4096 (MB) in its environment, give its container as much memory, and recreate it';

test.each(['Reached heap limit', 'Ineffective mark-compacts near heap limit', 'CALL_AND_RETRY_LAST'])(
  'a program whose heap is full (%s) ran out of memory',
  async (how) => {
    const line = `FATAL ERROR: ${how} Allocation failed - JavaScript heap out of memory`;
    expect(await reasonOf('relayer', cycle, `[1] ${line}`, '[1] sleep 5s; npm run start exited with code 134')).toBe(
      `fail: the relayer died just now (09:00:00 UTC) while its container lives on: ${HEAP}`,
    );
    for (const end of ['signal "SIGABRT".', 'exit code 134.'])
      expect(await reasonOf('frontend', '$ vite build', line, `error Command failed with ${end}`)).toBe(
        `fail: frontend printed a line of the pattern heap_exhausted just now: ${HEAP}`,
      );
  },
);

const CRASHED =
  'its program crashed with a segmentation fault or an abort; start it again; if it crashes once more, test the memory of its machine, and take another version of its image';
const PORT_TAKEN = 'another program has its port; end that program, or give the container another port';
const NO_MODULE =
  'a module that its program needs is not there; see that no folder is mounted over that of its program, pull its image anew, and recreate the container';
const NO_COMMAND =
  'a command that its start script calls is not there; read in its log which one, pull its image anew, and recreate the container';
const NO_SERVE =
  'the package serve, which delivers the page, is not installed; let the container reach the npm registry, from which it installs serve at each start, and restart it';

test.each([
  ['Segmentation fault', CRASHED],
  ['Error: listen EADDRINUSE: address already in use :::5213', PORT_TAKEN],
  ["Error: Cannot find module '/app/dist/index.js'", NO_MODULE],
  ['sh: 1: ts-node: not found', NO_COMMAND],
])('a relayer and a stats server that end with %s say why', async (line, reason) => {
  expect(await reasonOf('relayer', `[1] ${line}`)).toBe(`fail: the relayer cannot start: ${reason}`);
  expect(await reasonOf('relayer', cycle, `[1] ${line}`, '[1] sleep 5s; npm run start exited with code 1')).toBe(
    `fail: the relayer died just now (09:00:00 UTC) while its container lives on: ${reason}`,
  );
  const { checks } = await judgeSavedLog('stats', writeLog(`${line}\n`));
  expect(checks.map((check) => check.reason)).toEqual(
    ['', ''].map(() => expect.stringContaining(`just now: ${reason}; read the log of the stats server`)),
  );
});

describe('a frontend says why it does not start', () => {
  const why = async (...lines: readonly string[]) =>
    (await reasonOf('frontend', 'yarn global v1.22.22', ...lines)).replace(/^fail: .* just now: /, '');
  const where = 'the registry of .npmrc or .yarnrc';

  test.each([
    ['error Error: https://registry.yarnpkg.com/serve: ESOCKETTIMEDOUT', 'the npm registry did not answer in time'],
    ['npm error code ETIMEDOUT', 'the npm registry did not answer in time'],
    ['npm ERR! errno ETIMEDOUT', 'the npm registry did not answer in time'],
    ['error Error: read ECONNRESET', 'the connection to the npm registry was cut'],
    [
      'error An unexpected error occurred: "https://r.example/x: getaddrinfo EAI_AGAIN r.example".',
      'the host name of the npm registry cannot be resolved',
    ],
    [
      'error Error: https://r.example/serve: Request failed "503 Service Unavailable"',
      'the npm registry, or the proxy in front of it, answers with a server error',
    ],
    [
      'error Error: https://r.example/serve: Request failed "429 Too Many Requests"',
      'the npm registry has had too many requests and refuses more for now',
    ],
    ['npm error code E403', 'the npm registry does not authorise the request'],
    ['error Error: self-signed certificate in certificate chain', 'the certificate of the npm registry is not trusted'],
    [
      'error Error: tunneling socket could not be established, cause=connect ECONNREFUSED 192.0.2.9:3128',
      'the proxy on the way to the npm registry does not let the request through',
    ],
    ['error Error: connect ECONNREFUSED 192.0.2.9:443', 'nothing listens at the address of the npm registry'],
    [
      'error Couldn\'t find package "serve" on the "npm" registry.',
      'the package serve could not be fetched at the start; let the container reach the npm registry',
    ],
    [
      'error An unexpected error occurred: "ENOSPC: no space left on device, mkdir \'/tmp/y\'".',
      'the disk is full; free space on the disk of Docker',
    ],
    ['npm error nospc ENOSPC: no space left on device, write', 'the disk is full; free space on the disk of Docker'],
    ['Error: ENOSPC: no space left on device, write', 'the disk is full; free space on the disk of Docker'],
    ['npm ERR! code E503', 'the npm registry, or the proxy in front of it, answers with a server error'],
    [
      'npm ERR! network getaddrinfo ENOTFOUND registry.npmjs.org',
      'the host name of the npm registry cannot be resolved',
    ],
    [
      '➤ YN0001: │ RequestError: getaddrinfo ENOTFOUND registry.yarnpkg.com',
      'the host name of the npm registry cannot be resolved',
    ],
    [
      '➤ YN0035: │   Response Code: 503 (Service Unavailable)',
      'the npm registry, or the proxy in front of it, answers with a server error',
    ],
    [
      ' ERR_PNPM_META_FETCH_FAIL  GET https://r.example/serve: Socket timeout',
      'the npm registry did not answer in time',
    ],
    [
      '  [cause]: Error: getaddrinfo ENOTFOUND registry.yarnpkg.com',
      'the host name of the npm registry cannot be resolved',
    ],
    [
      'npm ERR! 407 Proxy Authentication Required - GET https://r.example/serve',
      'the proxy on the way to the npm registry does not let the request through',
    ],
    [' ERR_PNPM_ENOSPC  ENOSPC: no space left on device, copyfile', 'the disk is full; free space on the disk'],
    ["cp: error writing '/app/dist/x': No space left on device", 'the disk is full; free space on the disk of Docker'],
    [
      'error An unexpected error occurred: "EROFS: read-only file system, mkdir \'/app/dist\'".',
      'its program could not use a file; read in its log which file, and see its rights, the mount and quota of its folder',
    ],
    ['Killed', 'the build was killed, as happens when memory runs out; give Docker more memory'],
    ['npm ERR! errno 137', 'the build was killed, as happens when memory runs out; give Docker more memory'],
    [' ELIFECYCLE  Command failed with exit code 137.', 'the build was killed, as happens when memory runs out'],
    ['# Fatal JavaScript out of memory: Reached heap limit', 'its program ran out of memory: the heap of Node.js'],
    [
      'runc create failed: unable to start container process: exec: "/app/start.sh": permission denied: unknown',
      'its start script is not executable; make the script executable with `chmod +x`',
    ],
    [
      "/app/start.sh: line 2: $'\\r': command not found",
      'its start script is not there, or has the line ends of Windows; see that it is mounted, and convert it with `sed -i "s/\\r$//"`',
    ],
    [
      'exec /app/start.sh: exec format error',
      'its image is for another kind of processor; take an image for what `uname -m` says on its machine',
    ],
    [
      '/bin/sh: /app/start.sh: Permission denied',
      'its start script is not executable; make the script executable with `chmod +x`',
    ],
    [
      'exec /app/start.sh: permission denied',
      'its start script is not executable; make the script executable with `chmod +x`',
    ],
    [
      'error Command failed with signal "SIGABRT".',
      'the build was aborted, as happens when the heap of Node.js reaches its limit; set NODE_OPTIONS',
    ],
    ['Segmentation fault (core dumped)', CRASHED],
    ['error Command failed with signal "SIGSEGV".', CRASHED],
    ['npm ERR! errno 139', CRASHED],
    ['Error: listen EADDRINUSE: address already in use :::5555', PORT_TAKEN],
    ["Error: Cannot find module 'vite'", NO_MODULE],
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vite' imported from /app/vite.config.ts", NO_MODULE],
    ['sh: 1: serve: not found', NO_SERVE],
    ['./start.sh: line 7: serve: command not found', NO_SERVE],
    ['sh: 1: vite: not found', NO_COMMAND],
    ['error Command failed with exit code 127.', NO_COMMAND],
    ['exec: "yarn": executable file not found in $PATH: unknown', NO_COMMAND],
  ])('%s', async (line, begin) => {
    expect((await why(line)).slice(0, begin.length)).toBe(begin);
  });

  test('by the line that tells why, not by those right behind it that only tell how it ended', async () => {
    const reason = 'nothing listens at the address of the npm registry';
    for (const end of ['error Command failed with exit code 1.', 'sh: 1: serve: not found', 'npm ERR! errno 127'])
      expect(await why('error Error: connect ECONNREFUSED 192.0.2.9:443', end)).toMatch(new RegExp(`^${reason}; `));
    expect(await why('sh: 1: serve: not found', 'error Command failed with exit code 127.')).toBe(NO_SERVE);
  });

  test('and where to mend it', async () => {
    expect(await why('error Error: connect ECONNREFUSED 192.0.2.9:443')).toBe(
      `nothing listens at the address of the npm registry; start it, or correct the address in ${where}`,
    );
  });
});
