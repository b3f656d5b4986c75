import { error, type PatternRows } from './packs/pattern-rows.ts';

/** The causes that a program names in a text of its own, in the words of the libraries and servers behind it. */
export type Causes = Readonly<
  Record<
    string,
    {
      /** The source of an expression for the text. */
      readonly says: string;
      /** What it is, as a part of a sentence. */
      readonly what: string;
      readonly fix: string;
    }
  >
>;

/** The same causes under names that begin with a prefix. */
export const withPrefix = (prefix: string, causes: Causes): Causes =>
  Object.fromEntries(Object.entries(causes).map(([name, cause]) => [`${prefix}${name}`, cause]));

/** The patterns of logs that show that memory ran out; only the later ones name the reason. */
export const MEMORY_SIGNS = ['build_killed', 'heap_exhausted', 'build_aborted'] as const;

/** What to do about a path that is too long for a socket. The log of a node gives it as it is inside its container. */
export const SHORTER_PATH =
  'move the folder of the deployment (generated) to a shorter path, or, if the path in its log is one inside the container, change DATA_DIR or the volume in docker-compose.yml';

/** Libraries put the reason first; a longer text holds the transaction, and would be slow to read. */
const WITHIN = '[^]{0,1500}?';

/**
 * Patterns for the first cause of a list that a text names, in any case of letters: each expression excludes the earlier ones. `begins`
 * starts the text, and holds the literal, or the mark if it is one of those that may be anywhere.
 */
export function inOrder(literal: string, begins: string, causes: Causes, mark?: RegExp): PatternRows {
  const entries = Object.entries(causes);
  const rows = entries.map(([name, { says, what, fix }], index) => {
    const earlier = entries.slice(0, index).map(([, each]) => each.says);
    const not = index === 0 ? '' : `(?!${WITHIN}(?:${earlier.join('|')}))`;
    const match = new RegExp(`^${begins}${not}${WITHIN}(?:${says})`, 'i');
    return [name, error(literal, what, { match, fix, ...(mark && { anywhere: true, mark }) })] as const;
  });
  return Object.fromEntries(rows);
}

/** A status of HTTP where a program names one; a number alone may be any other. */
const status = (code: string): string =>
  `(?:status(?:[ _-]?code)?|HTTP(?:/\\d(?:\\.\\d)?)?|(?:response|error) code|code E|[(>"'|]|ERR! |error |FETCH_)[ "':=]{0,3}${code}\\b`;

/**
 * Why a request got no answer, in the words of Node's sockets, yarn and npm, axios, web3, ethers and viem. `whom` is asked; `where`
 * is the setting with its address.
 */
export const requestCauses = (whom: string, where: string): Causes => ({
  proxy: {
    says: `tunneling socket could not be established|${status('407')}|Proxy Authentication Required|ERR_PROXY|ERR_INVALID_PROXY`,
    what: `the proxy on the way to ${whom} does not let the request through`,
    fix: 'correct HTTP_PROXY, HTTPS_PROXY and the proxy in .npmrc or .yarnrc of its container, or start that proxy',
  },
  unresolved: {
    says: 'ENOTFOUND|EAI_[A-Z]|ENODATA|ESERVFAIL',
    what: `the host name of ${whom} cannot be resolved`,
    fix: `check the host name in ${where} and the name server of the container`,
  },
  tls_wanted: {
    says: 'HTTP request (?:was sent to|to an) HTTPS',
    what: `${whom} speaks only TLS at this address`,
    fix: `write https:// in place of http:// in ${where}`,
  },
  certificate_expired: {
    says: 'certificate has expired|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|certificate is not yet valid',
    what: `the certificate of ${whom} has expired`,
    fix: `check the clock of the machine; if it is right, have the certificate renewed, or set another address in ${where}`,
  },
  certificate_untrusted: {
    says: 'self[- ]signed|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|unable to (?:verify|get (?:local )?issuer)|ALTNAME_INVALID|altnames|SSL routines|EPROTO|ERR_SSL|ERR_TLS',
    what: `the certificate of ${whom} is not trusted, or it does not speak TLS`,
    fix: `check the address in ${where}; if a proxy opens TLS, give its certificate to the container by NODE_EXTRA_CA_CERTS`,
  },
  rate_limited: {
    says: `rate[- ]?limit|too many requests|${status('429')}|-32005\\b|(?:request|daily|monthly|capacity|quota|credits|compute units|\\bcu|rps|tier|plan)[a-z ]{0,30}(?:exceeded|limit|reached|exhausted)|exceeded[a-z ]{0,30}(?:requests|capacity|quota|credits|compute units|tier|plan)\\b|out of credits|upgrade your|${status('1015')}`,
    what: `${whom} has had too many requests and refuses more for now`,
    fix: `raise its limit, or set an address without a limit in ${where}`,
  },
  unauthorised: {
    says: `${status('40[13]')}|Unauthorized|Forbidden|invalid (?:api|project) ?(?:key|id)|(?:api ?key|project id)[a-z ]{0,20} (?:required|missing|invalid|not allowed)|rejected due to|not (?:whitelisted|allowlisted|enabled for)|invalid host|authentication (?:failed|required)|access denied|must (?:be authenticated|authenticate)|${status('10(?:0[6-9]|1[0-2]|20)')}|\\bE40[13]\\b`,
    what: `${whom} does not authorise the request`,
    fix: `check the key or password in ${where}, and whether it admits this machine`,
  },
  not_found: {
    says: `${status('40[45]')}|404 Not Found|\\bE404\\b`,
    what: `${whom} has nothing at this path`,
    fix: `correct the path in ${where}`,
  },
  timeout: {
    says: 'E(?:SOCKET)?TIMEDOUT|EIDLETIMEOUT|timeout awaiting|socket timeout|ERR_SOCKET_TIMEOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|CONNECTION TIMEOUT|ECONNABORTED|timeout of \\d+ ?ms|timed out|took too long|network timeout|\\bcode=TIMEOUT|There appears to be trouble with your network',
    what: `${whom} did not answer in time`,
    fix: `check the address in ${where}, and the route and the firewall between it and the container`,
  },
  refused: {
    says: 'ECONNREFUSED',
    what: `nothing listens at the address of ${whom}`,
    fix: `start it, or correct the address in ${where}`,
  },
  no_route: {
    says: 'ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL',
    what: `there is no route to ${whom}`,
    fix: `check the network of the container, and the address in ${where}`,
  },
  closed: {
    says: 'ECONNRESET|socket hang up|EPIPE|premature close|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_SOCKET|other side closed|network socket disconnected|aborted',
    what: `the connection to ${whom} was cut`,
    fix: `see that it, and the proxy or firewall on the way, run; check the address in ${where}`,
  },
  server_error: {
    says: `${status('5\\d\\d')}|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out|Internal (?:Server |JSON-RPC )?Error|\\bE50\\d\\b|upstream connect error|no healthy upstream|SERVER_ERROR`,
    what: `${whom}, or the proxy in front of it, answers with a server error`,
    fix: `wait some minutes; if it lasts, repair the server behind that proxy, or set another address in ${where}`,
  },
  web_page: {
    says: '<html|<!DOCTYPE|<!doctype|Unexpected token .{0,3}<',
    what: `a web page answers in place of ${whom}`,
    fix: `correct the address in ${where}`,
  },
});

/**
 * Why a chain does not take a transaction, in the words of geth and its kin, Nethermind, Erigon and Besu, and of web3, ethers and
 * viem, which rewrite some. A library that estimates gas wraps the reason, so the general words come last.
 */
export const transactionCauses: Causes = {
  out_of_gas: {
    says: '(?:ran )?out of gas',
    what: 'the transaction ran out of gas',
    fix: 'see that the checkpoint contract fits this version of the relayer, as the relayer chooses the gas',
  },
  already_there: {
    says: 'Old Block|Repeated Header|Repeated Block blockhash',
    what: 'the checkpoint contract has these blocks already',
    fix: 'wait, as after ten tries the relayer starts over behind them; if it goes on, let one relayer alone submit to this contract',
  },
  reverted: {
    says: 'execution reverted|reverted by the EVM|VM (?:Exception|execution error)|reverted 0x|(?:call|transaction) reverted|always failing transaction|ContractFunctionRevertedError|reverted with|ContractExecutionError',
    what: 'the checkpoint contract refused the blocks',
    fix: 'check that the checkpoint contract belongs to this subnet',
  },
  no_funds: {
    says: "insufficient (?:funds|balance)|INSUFFICIENT_FUNDS|InsufficientFunds|not enough funds|doesn't have enough funds|exceeds [a-z ]{0,30}balance|gas required exceeds allowance \\(",
    what: 'the wallet of the relayer is out of funds',
    fix: 'fund it',
  },
  gas_price_too_low: {
    says: '(?:less|lower) than (?:the )?block base fee|FeeTooLowToCompete|too low for the next block|fee cap less than|below the base fee|max ?fee ?per ?gas[a-z ]{0,20}(?:less|lower) than',
    what: 'the parent chain wants a higher gas price than the relayer pays',
    fix: 'wait until it falls',
  },
  underpriced: {
    says: 'replacement (?:transaction|fee|tx)[a-z ]{0,20}(?:underpriced|too low)|REPLACEMENT_UNDERPRICED|ReplacementNotAllowed|could not replace existing|another transaction with (?:the )?same nonce',
    what: 'an older transaction from the wallet is still waiting in the pool of the parent chain',
    fix: 'wait, or replace it by hand',
  },
  gas_price_below_minimum: {
    says: '(?:under|below|less than|lower than)(?: the| configured)? min(?:imum)?\\b|transaction underpriced|gas price (?:is )?too low|FeeTooLow|gas tip cap|(?:below|less than)[a-z ]{0,20}(?:price|tip|fee) (?:threshold|floor|minimum)|Gas price below',
    what: 'the parent chain demands a higher minimum gas price than the relayer pays',
    fix: 'set PARENTNET_URL to a node with a lower minimum, lower it there (`--gasprice`), or take a relayer that pays more',
  },
  nonce_too_low: {
    says: 'nonce(?: is)? too low|nonce (?:\\d+ )?below|NONCE_EXPIRED|OldNonce|nonce (?:has already been used|[^"]{0,60}lower than)|NonceTooLow|incorrect (?:account )?nonce|invalid nonce',
    what: 'the parent chain already has newer transactions from the wallet, as happens when a second program sends from it',
    fix: 'give each relayer a wallet of its own and let nothing else send from it; it reads the nonce anew for each transaction',
  },
  nonce_too_high: {
    says: 'nonce(?: is)? too (?:high|distant)|NonceTooHigh|nonce gap|NonceGap|nonce [^"]{0,60}higher than',
    what: 'the parent chain lacks an earlier transaction from the wallet',
    fix: 'restart the relayer so that it reads the nonce again, and see that all nodes behind PARENTNET_URL are at the same block',
  },
  already_known: {
    says: 'already known|AlreadyKnown|known transaction|already (?:imported|exists|in (?:the )?(?:mem|tx ?)?pool)|ALREADY_EXISTS|same hash was already',
    what: 'the parent chain already has this transaction, but has not mined it yet',
    fix: 'wait until it is mined; if it never is, the gas price is too low or two relayers use one wallet',
  },
  fee_above_cap: {
    says: 'exceeds the configured cap',
    what: 'the fee of the transaction is above the limit that the node of PARENTNET_URL sets',
    fix: 'raise its --rpc.txfeecap, or set another address in PARENTNET_URL',
  },
  not_synced: {
    says: '(?:node|still)(?: is)? syncing|not (?:fully )?synced|sync(?:ing)? in progress',
    what: 'the node of PARENTNET_URL has not caught up with its chain',
    fix: 'wait until it has, or set another address in PARENTNET_URL',
  },
  gas_below_intrinsic: {
    says: 'intrinsic gas|provided for the transaction is too low|IntrinsicGas|gas limit is below|GasLimitBelow|base gas cost|gas floor|floor data gas',
    what: 'the gas limit of the transaction is below what its data alone needs',
    fix: 'take a relayer that fits the gas rules of the parent chain, or have it send fewer blocks at once',
  },
  gas_above_block: {
    says: 'exceeds (?:the )?block gas|provided for the transaction is too high|gas limit (?:too high|reached|exceed)|block gas limit exceeded|GasLimitExceeded|gas limit cap|TX_GAS_LIMIT|gas required exceeds allowance',
    what: 'the transaction needs more gas than a block of the parent chain holds',
    fix: 'wait while the relayer tries fewer blocks at once; if one block alone is too much, raise the limit of the parent chain',
  },
  too_large: {
    says: `oversized data|transaction (?:size )?(?:is )?too (?:large|big)|size exceed|max initcode size|body too large|entity too large|${status('413')}`,
    what: 'the transaction is larger than the parent chain takes',
    fix: 'wait while the relayer tries fewer blocks at once; if it lasts, raise the limit of the node or proxy of PARENTNET_URL',
  },
  pool_full: {
    says: '(?:tx ?|transaction )?pool (?:is )?(?:full|overflow|limit exceeded)|TxPoolOverflow|in-flight transaction limit|too many (?:pending|queued|transactions in the queue)|account limit exceeded',
    what: 'the pool of the parent chain takes no more transactions',
    fix: 'wait until it has fewer; if it lasts, raise the gas price or the pool limit of the node of PARENTNET_URL',
  },
  not_mined: {
    says: 'not mined within|did not respond within|TransactionBlockTimeout|Timed out while waiting for transaction|WaitForTransactionReceiptTimeout',
    what: 'the parent chain took the transaction and never mined it',
    fix: 'look at its pool and at the gas price',
  },
  block_unknown: {
    says: 'header (?:for hash )?not found|unknown block\\b|block not found',
    what: 'the node of PARENTNET_URL does not have the block that the relayer asks about',
    fix: 'see that all nodes behind PARENTNET_URL are at the same block, or set the address of a single one',
  },
  state_lost: {
    says: 'missing trie node|world state unavailable|(?:historical )?state (?:\\w+ )?is (?:not available|pruned)',
    what: 'the node of PARENTNET_URL has lost the state of a block',
    fix: 'let it sync again, or set another address in PARENTNET_URL',
  },
  key_missing: {
    says: 'authentication needed|unknown account',
    what: 'the relayer asks the node of PARENTNET_URL to sign the transaction, which has no unlocked account for it',
    fix: 'set PARENTNET_WALLET_PK in common.env to the key of the wallet, and recreate the relayer',
  },
  other_chain: {
    says: 'invalid sender|invalid chain ?i[dD]|chain ?i[dD][a-z ]{0,20}(?:mismatch|does not match|differs)|(?:wrong|incorrect) chain|replay-protected|InvalidTxChainId|unexpected chain',
    what: 'the transaction was signed for another chain than the one behind PARENTNET_URL',
    fix: 'correct PARENTNET_URL, and restart the relayer',
  },
  type_unsupported: {
    says: 'transaction type not (?:supported|valid)|unsupported (?:transaction|tx) type|invalid (?:tx|transaction) type|InvalidTxType',
    what: 'the parent chain does not know this type of transaction',
    fix: 'take a relayer that fits the version of the parent chain',
  },
  gas_not_estimated: {
    says: 'cannot estimate gas|UNPREDICTABLE_GAS_LIMIT|CALL_EXCEPTION|estimate ?gas',
    what: 'the parent chain could not estimate the gas, as happens when the checkpoint contract would refuse the blocks',
    fix: 'check that CHECKPOINT_CONTRACT belongs to this subnet',
  },
};
