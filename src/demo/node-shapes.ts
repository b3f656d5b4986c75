import type { DemoClient } from './demo-client.ts';
import { nethermindShape } from './nethermind-shape.ts';
import type { NodeIdentity } from './node-identity.ts';
import { goShape, type NodeShape } from './node-shape.ts';
import { xdposchainShape } from './xdposchain-shape.ts';

const SHAPES: Readonly<Record<DemoClient, NodeShape>> = {
  go: goShape,
  xdposchain: xdposchainShape,
  nethermind: nethermindShape,
};

/** The shape of a node, by what it runs. */
export const shapeOf = ({ client }: NodeIdentity): NodeShape => SHAPES[client];
