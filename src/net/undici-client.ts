import { createRequire } from 'node:module';
import type undici from 'undici';

const require = createRequire(import.meta.url);

// The index of undici loads all of it, with fetch, WebSocket, caches and mocks: 6 MB for what is never used.
/** undici's client, loaded alone. */
export const Client: typeof undici.Client = require('undici/lib/dispatcher/client.js');

/** How a client connects, loaded alone. */
export const buildConnector: typeof undici.buildConnector = require('undici/lib/core/connect.js');
