import type { LogPattern } from '../../model/log.ts';
import type { Component } from '../../model/target.ts';
import { bootnodePack } from './packs/bootnode-pack.ts';
import { frontendPack } from './packs/frontend-pack.ts';
import { nethermindPack } from './packs/nethermind-pack.ts';
import { nodePack } from './packs/node-pack.ts';
import { relayerPack } from './packs/relayer-pack.ts';
import { statsPack } from './packs/stats-pack.ts';

/** The patterns of each component, as its real program prints them. */
export const packs: Readonly<Record<Component, readonly LogPattern[]>> = {
  // The form of a line tells the client, so that a node is read before it has said which it runs.
  node: [...nodePack, ...nethermindPack],
  bootnode: bootnodePack,
  relayer: relayerPack,
  stats: statsPack,
  frontend: frontendPack,
};
