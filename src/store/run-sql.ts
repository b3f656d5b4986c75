import type { DatabaseConnection, LentConnection } from './database-connection.ts';
import { createInTransaction, type InTransaction } from './in-transaction.ts';
import { type Run, toText } from './sql.ts';

/** Runs plain SQL, by itself or in transactions. */
export interface PlainSql {
  readonly run: Run;
  /** Runs a read that may look at many rows. */
  readonly scan: Run;
  readonly inTransaction: InTransaction;
}

/** Plain SQL on a database that is open. `beforeCommit` writes more in each transaction, at its end. */
export function createPlainSql(
  { kind, lend, lendScan }: DatabaseConnection,
  beforeCommit: (transaction: Run) => Promise<void> = async () => {},
): PlainSql {
  const runOn =
    ({ query }: LentConnection): Run =>
    async <Row>(statement: Parameters<Run>[0]) =>
      (await query(toText(statement, kind), statement.cells)).rows as readonly Row[];
  const withConnection = async <T>(
    lending: () => Promise<LentConnection>,
    work: (lent: LentConnection) => Promise<T>,
  ): Promise<T> => {
    const lent = await lending();
    try {
      return await work(lent);
    } finally {
      lent.release();
    }
  };
  return {
    run: (statement) => withConnection(lend, (lent) => runOn(lent)(statement)),
    scan: (statement) => withConnection(lendScan, (lent) => runOn(lent)(statement)),
    inTransaction: createInTransaction(
      (work) =>
        withConnection(lend, (lent) => {
          const transaction = runOn(lent);
          return work(transaction, async (text) => {
            if (text === 'commit') await beforeCommit(transaction);
            return (await lent.query(text, [])).command;
          });
        }),
      kind,
    ),
  };
}
