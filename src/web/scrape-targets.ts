import type { Snapshot } from '../model/snapshot.ts';
import { clientOf } from '../watch/clients/clients.ts';

/** A group of targets as Prometheus reads it from `http_sd_configs`; here each group is one address with its labels. */
export interface ScrapeTarget {
  readonly targets: readonly [string];
  readonly labels: Readonly<Record<string, string>>;
}

/** Where exporters serve their metrics. */
const EXPORTER_PATH = '/metrics';

function toScrapeTarget(address: string, path: string, labels: ScrapeTarget['labels']): ScrapeTarget {
  const { protocol, host, hostname, port, pathname, searchParams } = new URL(address);
  // Prometheus adds no port to the target of a discovery.
  const target = port === '' ? `${hostname}:${protocol === 'https:' ? 443 : 80}` : host;
  const params = [...new Set(searchParams.keys())].map((name) => [`__param_${name}`, searchParams.get(name) ?? '']);
  return {
    targets: [target],
    labels: {
      __scheme__: protocol.slice(0, -1),
      __metrics_path__: pathname === '/' ? path : pathname,
      ...Object.fromEntries(params),
      ...labels,
    },
  };
}

/**
 * `/sd/targets.json`, in the format of `http_sd_configs`: the metrics endpoints that the inventory names, of nodes and of exporters. An
 * address without a path gets that of the client that the node runs, or that of exporters.
 */
export const toScrapeTargets = (snapshot: Snapshot): readonly ScrapeTarget[] =>
  snapshot.flatMap(({ subnet: { name: subnet, exporters = [] }, targets }) => [
    ...targets.flatMap(({ target, facts }) =>
      target.component !== 'node' || target.metrics === undefined
        ? []
        : [
            toScrapeTarget(target.metrics, clientOf({ target, facts }).metricsPath, {
              subnet,
              component: target.component,
              name: target.name,
            }),
          ],
    ),
    ...exporters.map(({ kind, name, url }) => toScrapeTarget(url, EXPORTER_PATH, { subnet, component: kind, name })),
  ]);
