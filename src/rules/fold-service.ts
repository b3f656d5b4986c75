import type { ServiceObservation } from '../model/observation.ts';

/** What is known of a service by its HTTP answers. */
export interface ServiceFacts {
  readonly observation: ServiceObservation;
}
