/** Series that Prometheus records, by the rules that `subnetd rules` prints. */
export const RECORDED = {
  checks: 'subnet_component_name_check:subnet_check_success:min',
  heights: 'subnet_name_block:subnet_node_block_number:max',
  behind: 'subnet_name:subnet_node_block_number:behind',
  memory: 'subnet_component_name:subnet_container_memory_bytes:ratio',
} as const;

/** The chosen subnets. */
export const SUBNET = 'subnet=~"$subnet"';

/** By subnet, the limit of a check in the inventory. */
export const limitOf = (check: string, unit: 'seconds' | 'blocks' = 'seconds'): string =>
  `max by (subnet) (subnet_check_limit_${unit}{${SUBNET},check="${check}"})`;

/** A vector compared with one by subnet. */
export const bySubnet = (left: string, operator: string, right: string): string =>
  `(${left}) ${operator} on (subnet) group_left () (${right})`;
