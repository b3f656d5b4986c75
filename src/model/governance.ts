/** Who governs a subnet, as last read; what was never read is absent. Addresses are `0x`, lower case. */
export interface GovernanceObservation {
  /** The candidates for masternodes of the contract at 0x…88, sorted. */
  readonly candidates?: readonly string[];
  /** The code behind the checkpoint contract, if that is a proxy (EIP-1967). */
  readonly implementation?: string;
}
