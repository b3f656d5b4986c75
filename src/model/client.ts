import type { ChainPart, HealthFault } from './chain.ts';
import type { NodeCall } from './observation.ts';
import type { ClientName, NodeTarget } from './target.ts';

/** A JSON-RPC method with its parameters. */
export interface Method {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The blocks that the question about the chain names by their heights. */
export interface AskedHeights {
  /** The one whose hash is asked for. */
  readonly mark?: number | undefined;
  /** The one whose header lists the masternodes of the next epoch. */
  readonly next?: number | undefined;
}

/** A node that advice is about. Its files have the name of its compose service, which the inventory may not know it by. */
export type Advised = Pick<NodeTarget, 'name' | 'container'>;

/** What to do about a node of this client, as the end of a sentence. */
export interface ClientAdvice {
  /** The file in the deployment's folder that holds its environment. */
  readonly envFile: (node: Advised) => string;
  /** Makes it serve another namespace of JSON-RPC, called as in method names. */
  readonly openNamespace: (namespace: string, node: Advised) => string;
  /** Makes nodes serve these namespaces of JSON-RPC and no others. */
  readonly serveOnly: (namespaces: readonly string[], nodes: readonly Advised[]) => string;
  /** Makes nodes answer only to the host names that are their own, or to pages of known origins. */
  readonly refusePages: (about: 'hosts' | 'origins', nodes: readonly Advised[]) => string;
  /** Makes its log show its blocks. */
  readonly showBlocks: (node: Advised) => string;
  /** Makes it accept any host name in requests. */
  readonly acceptHosts: string;
  /** Finds why it refused a call. */
  readonly findCallError: string;
  /** Gives it another network id; undefined where that is its chain id. */
  readonly setNetworkId?: (id: number, node: Advised) => string;
  /** Gives it a key of its own for the peer network. */
  readonly replaceNodeKey: (node: Advised) => string;
  /** Makes it begin with the chain of the others. */
  readonly giveGenesis: (node: Advised) => string;
  /** Makes it take all blocks from the others again. */
  readonly resync: (name: string) => string;
  readonly repairDatabase: (name: string) => string;
  /** Finds what is wrong with the key with which it signs. */
  readonly checkKey: (node: Advised) => string;
  /** Compares the file that its chain begins with, of nodes that are named, with that of another one. */
  readonly compareGenesis: (names: string, other: string) => string;
}

/** A service of a compose file, as far as it shows which client it runs. */
export interface DeployedService {
  readonly name: string;
  readonly image: string;
  /** Paths. */
  readonly envFiles: readonly string[];
}

/** How the deployment generators set up a node. */
export interface ClientDeployment {
  readonly isOf: (service: DeployedService) => boolean;
  /** The variables that set its ports, the one that counts first. */
  readonly rpcPort: readonly string[];
  readonly wsPort: readonly string[];
  readonly p2pPort: string;
  /** The variable that names its bootnodes as `enode://` addresses. */
  readonly bootnodes: string;
  /** The variable of its log level, and the level that its start script takes without it. */
  readonly logLevel?: { readonly variable: string; readonly unset: number };
  /** What begins its chain, in the folder of the deployment. */
  readonly chainFile: 'genesis.json' | 'chainspec.json';
}

/** What differs between the programs that nodes run. Everything that depends on the client asks this value. */
export interface Client {
  readonly name: ClientName;
  /** As people write it. */
  readonly title: string;
  /** Where it serves its metrics in Prometheus's format, at the address of its own for them. */
  readonly metricsPath: string;
  /** Whether `web3_clientVersion` is its own. */
  readonly recognises: (version: string) => boolean;
  /** The calls of a probe; `consensus` is the prefix of the engine's methods. */
  readonly calls: (consensus: string) => Readonly<Record<NodeCall, Method>>;
  /** The calls of the question about the chain. A part without one is not asked for. */
  readonly chainCalls: (consensus: string, heights?: AskedHeights) => Readonly<Partial<Record<ChainPart, Method>>>;
  /** Gives its latest block where the engine speaks of none, as before the switch to the second version of the consensus. */
  readonly headCall?: Method;
  /** The codes of errors by which it says that no block is committed yet; not all that do so answer null. */
  readonly noCommitted: readonly number[];
  /** Whether `admin` says who its peers are. If not, the question about the chain does, and a count of them is all that is wanted. */
  readonly hasAdmin: boolean;
  /** What decides where an epoch begins: the heights of its blocks, or their rounds, which run ahead of the heights. */
  readonly epochsBy: 'block' | 'round';
  /** Whether what it takes for committed is known to be so. If not, that counts only where no other client is asked. */
  readonly isFinalitySettled: boolean;
  /** The parts that are asked for in requests of their own, because it may end the connection instead of an answer. */
  readonly askedApart: readonly ChainPart[];
  /** Where it says over HTTP how it is, and what that text means; undefined for one that says nothing. */
  readonly health?: { readonly path: string; readonly read: (text: string) => readonly HealthFault[] | undefined };
  /** Whether it writes `XDC.ipc`, and has a console that can be attached to it. */
  readonly hasConsole: boolean;
  /** The flag of its start script by which whoever reaches its RPC can use the key that it signs with. */
  readonly unlockFlag?: string;
  /** Its log below its data folder. */
  readonly logFile: string;
  readonly deployment: ClientDeployment;
  readonly advice: ClientAdvice;
}
