/** A series that Prometheus computes once for all panels that show it; named level:metric:operation. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

const HEIGHT = 'max by (subnet, name) (subnet_node_block_number{block="latest"})';

/**
 * Series that three or more panels share. Several subnetd that watch one subnet give one series. Ages are not recorded:
 * by the next evaluation they would be outdated.
 */
export const recordingRules = [
  {
    record: 'subnet_component_name_check:subnet_check_success:min',
    expr: 'min by (subnet, component, name, check) (subnet_check_success)',
  },
  {
    record: 'subnet_name_block:subnet_node_block_number:max',
    expr: 'max by (subnet, name, block) (subnet_node_block_number)',
  },
  {
    record: 'subnet_name:subnet_node_block_number:behind',
    expr: `max by (subnet) (subnet_node_block_number{block="latest"})\n- on (subnet) group_right () ${HEIGHT}`,
  },
  {
    record: 'subnet_component_name:subnet_container_memory_bytes:ratio',
    expr: 'max by (subnet, component, name) (subnet_container_memory_bytes / subnet_container_memory_limit_bytes)',
  },
] as const satisfies readonly RecordingRule[];
