/** The formats of `/metrics`: Prometheus's text format, versions 0.0.4 and 1.0.0, or OpenMetrics, versions 0.0.1 and 1.0.0. */
export type ExpositionFormat = 'text' | 'openmetrics';

/** What a scraper wants of `/metrics`. */
export interface ScrapeRequest {
  readonly format: ExpositionFormat;
  readonly isGzip: boolean;
  /** The series of these subnets alone, without those of subnetd itself; all when there is none. */
  readonly subnets: readonly string[];
}

/** The page of metrics in chunks, or what is wrong with the request. */
export type ScrapeAnswer =
  | { readonly kind: 'page'; readonly chunks: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly kind: 'unknown'; readonly error: string };
