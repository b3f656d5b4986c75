/** The table in which values of one kind survive the process, by key. Both reject while it is unreachable. */
export interface KeptTable<T> {
  read(): Promise<ReadonlyMap<string, T>>;
  /** Replaces the values of the given keys, and deletes those of `gone`. All or nothing. */
  write(changed: ReadonlyMap<string, T>, gone: readonly string[]): Promise<void>;
}
