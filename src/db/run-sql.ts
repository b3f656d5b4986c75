import type { DatabaseConnection, LentConnection } from './database-connection.ts';
import { createInTransaction, type InTransaction } from './in-transaction.ts';
import { type Run, toText } from './sql.ts';

/** Runs plain SQL, by itself or in transactions. */
export interface PlainSql {
  readonly run: Run;
  readonly inTransaction: InTransaction<Run>;
}

/** Plain SQL on a database that is open. */
export function createPlainSql({ kind, lend }: DatabaseConnection): PlainSql {
  const runOn =
    ({ query }: LentConnection): Run =>
    async <Row>(statement: Parameters<Run>[0]) =>
      (await query(toText(statement, kind), statement.cells)).rows as readonly Row[];
  const withConnection = async <T>(work: (lent: LentConnection) => Promise<T>): Promise<T> => {
    const lent = await lend();
    try {
      return await work(lent);
    } finally {
      lent.release();
    }
  };
  return {
    run: (statement) => withConnection((lent) => runOn(lent)(statement)),
    inTransaction: createInTransaction(
      (work) => withConnection((lent) => work(runOn(lent), async (text) => (await lent.query(text, [])).command)),
      kind,
    ),
  };
}
