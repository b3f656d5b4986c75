import { join } from 'node:path';
import type { ComposeService } from './compose-service.ts';
import {
  containerOf,
  type Deployment,
  type Entry,
  hasFiles,
  noteGlob,
  noteHostNetwork,
  toOrigin,
} from './deployment-node.ts';
import type { Note } from './deployment-notes.ts';
import { isNoContract } from './deployment-parent.ts';
import { portSetting, readServiceSettings, type ServiceSettings } from './deployment-settings.ts';

/** The single components of a subnet other than its nodes, in the order of the inventory. */
export const SERVICES = ['bootnode', 'relayer', 'stats', 'frontend'] as const;

/** The variable that sets the port of a service, if it has one. */
const PORT_SETTING = { relayer: 'RELAYER_PORT', stats: 'STATS_PORT' } as const;

const NO_SETTINGS: ServiceSettings = { values: new Map(), files: [], notes: [] };

const noteCheckpoint = ({ values, files }: ServiceSettings): readonly Note[] => {
  const setting = values.get('CHECKPOINT_CONTRACT');
  const where = setting?.where ?? files.at(-1);
  return where !== undefined && isNoContract(setting?.value) ? [{ kind: 'noCheckpoint', what: where }] : [];
};

function toUrl(
  key: string,
  service: ComposeService,
  deployment: Deployment,
  wanted: number | undefined,
): { readonly url?: string; readonly notes: readonly Note[] } {
  const mapping = service.ports.find(({ target }) => target === wanted) ?? service.ports[0];
  const { inside } = deployment;
  const port = service.hostNetwork || inside ? (wanted ?? mapping?.target) : mapping?.published;
  if (port === undefined) return { notes: [{ kind: 'noUrl', what: key }] };
  const shown = toOrigin(key, service.hostNetwork || inside ? {} : (mapping ?? {}), deployment);
  return { url: `http://${inside && !service.hostNetwork ? key : shown.origin}:${port}`, notes: shown.notes };
}

/** One of the four single components; undefined if nothing of it can be watched from here. */
export function toServiceEntry(
  key: (typeof SERVICES)[number],
  service: ComposeService,
  deployment: Deployment,
): Entry | undefined {
  const container = containerOf(key, deployment);
  if (key === 'bootnode') return container ? { value: container, notes: [] } : undefined;

  // The frontend's env file has no setting for an inventory.
  const settings = key === 'frontend' ? NO_SETTINGS : readServiceSettings(key, service, deployment);
  const wanted = key === 'frontend' ? { notes: [] } : portSetting(settings, PORT_SETTING[key]);
  const { url, notes } = toUrl(key, service, deployment, wanted.port);
  const logs = key === 'stats' && hasFiles(deployment) ? service.mounts.get('/app/logs') : undefined;
  const value = {
    ...container,
    url,
    ...(logs !== undefined && { logFiles: [join(logs, 'debug', '*.log')] }),
  };
  if (Object.keys(value).length === 0) return undefined;
  return {
    value,
    notes: [
      ...settings.notes,
      ...wanted.notes,
      ...noteCheckpoint(settings),
      ...notes,
      ...noteHostNetwork(key, service, deployment),
      ...(logs === undefined ? [] : noteGlob(logs)),
    ],
  };
}
