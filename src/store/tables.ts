import type { CompiledQuery, Generated, Kysely, RawBuilder } from 'kysely';
import type { HistoryChange } from '../model/history.ts';
import type { Component } from '../model/target.ts';
import type { LinkKind } from '../platform/model/account-link.ts';
import type { MailKind } from '../platform/model/mail.ts';
import type { Read } from './database-connection.ts';

/** What a column holds, in both databases. */
export type Cell = string | number | null;

/** The tables outside the declarations. */
export interface Tables {
  readonly api_key: {
    readonly id: Generated<number>;
    readonly name: string;
    readonly hash: string;
    /** Scopes in their order, separated by blanks. */
    readonly scope: string;
    readonly old_operate: Generated<number>;
    readonly expires_at: string | null;
    readonly owner_id: number;
    readonly created_at: string;
    readonly last_used_at: string | null;
    readonly revoked_at: string | null;
    readonly hint: string | null;
    readonly last_used_ip: string | null;
    readonly revoked_by: number | null;
    readonly replaced_by: number | null;
  };
  readonly audit_event: {
    readonly id: Generated<number>;
    readonly at: string;
    readonly action: string;
    readonly resource: string;
    readonly record_id: number;
    readonly stated_by: number | null;
    readonly owner_id: number | null;
    readonly credential: string;
    readonly ip: string | null;
    readonly changes: string;
    readonly request_id: string | null;
    readonly is_security: Generated<number>;
    /** Of the digest of address and changes; null once they were erased, and in rows from before the chain. */
    readonly salt: string | null;
    readonly hash: string | null;
    readonly mac: string | null;
    /** The digest of what was erased. */
    readonly erased: string | null;
  };
  /** Where each chain of audit events begins and ends. */
  readonly audit_chain: {
    readonly name: string;
    readonly begins_after: number;
    readonly removed_id: number;
    readonly removed_hash: string | null;
    readonly last_id: number;
    readonly hash: string;
  };
  readonly portal_session: {
    readonly id: Generated<number>;
    readonly hash: string;
    readonly user_id: number;
    readonly password_version: number;
    readonly address: string | null;
    readonly browser: string;
    readonly signed_in_at: string;
    readonly seen_at: string;
    readonly code_at: string | null;
  };
  readonly revoked_token: { readonly jti: string; readonly expires_at: string };
  readonly sign_in_address: { readonly user_id: number; readonly address: string; readonly at: string };
  readonly one_time_code: {
    readonly user_id: number;
    readonly secret: string;
    readonly last_step: number;
    readonly confirmed_at: string | null;
  };
  readonly recovery_code: { readonly user_id: number; readonly place: number; readonly hash: string };
  readonly sign_in_failure: {
    readonly name: string;
    readonly address: string;
    readonly failures: number;
    readonly last_at: string;
  };
  readonly idempotency_key: {
    readonly key: string;
    readonly fingerprint: string;
    readonly record_id: number;
    readonly at: string;
  };
  readonly instance_state: {
    readonly instance: string;
    readonly kind: string;
    readonly key: string;
    readonly value: string;
  };
  readonly uptime: {
    readonly instance: string;
    readonly subnet: string;
    readonly component: Component;
    readonly name: string;
    readonly span: 'hour' | 'day';
    /** ISO 8601, as the other times here are. */
    readonly start: string;
    readonly ok: number;
    readonly fail: number;
    readonly unseen: number;
    readonly planned: number;
  };
  readonly pace: {
    readonly instance: string;
    readonly subnet: string;
    readonly minute: string;
    readonly blocks: number;
    readonly gap: number | null;
  };
  readonly history_change: {
    readonly id: Generated<number>;
    readonly instance: string;
    readonly at: string;
    readonly subnet: string;
    readonly component: Component | null;
    readonly name: string | null;
    readonly kind: HistoryChange['kind'];
    readonly what: string;
    readonly old_state: string;
    readonly new_state: string;
    readonly reason: string;
  };
  readonly kept_value: { readonly name: string; readonly value: string };
  readonly rate_limit: { readonly key: string; readonly free_at: number };
  readonly account_link: {
    readonly hash: string;
    readonly kind: LinkKind;
    readonly user_id: number;
    readonly password_version: number;
    readonly expires_at: string;
  };
  readonly mail: {
    readonly id: Generated<number>;
    readonly kind: MailKind;
    readonly user_id: number | null;
    readonly address: string | null;
    readonly created_at: string;
    readonly due_at: string;
    readonly attempts: Generated<number>;
    readonly claim: string | null;
    readonly claimed_until: string | null;
    readonly change: string | null;
  };
  readonly admin_user: {
    readonly id: Generated<number>;
    readonly first_name: string;
    readonly user_name: string;
    readonly user_name_key: string;
    readonly email_id: string;
    readonly email_id_key: string;
    readonly password_hash: string;
    readonly password_version: number;
    readonly is_active: number;
  };
}

/** Kysely with the tables outside the declarations. The declared tables are reached by `sql` with checked names. */
export type Queries = Kysely<Tables>;

/** The parameter of a query that is only compiled: `RunCompiled` and `RunInTransaction` replace it. */
export const PLACEHOLDER = 0;

/** Runs a query that was compiled once, with other parameters. Compiling costs more than SQLite needs to answer. */
export type RunCompiled = <Row>(compiled: CompiledQuery<Row>, parameters: readonly Cell[]) => Promise<readonly Row[]>;

/** Runs compiled queries, by the reader of the database if it has one. */
export const createRunCompiled =
  (db: Queries, read: Read | undefined): RunCompiled =>
  async <Row>(compiled: CompiledQuery<Row>, parameters: readonly Cell[]) =>
    read === undefined
      ? (await db.executeQuery<Row>({ ...compiled, parameters })).rows
      : (read(compiled.sql, parameters) as readonly Row[]);

/** Runs a query in a transaction; it is compiled once for each key, from the builder with placeholders. */
export type RunInTransaction = <Row>(
  transaction: Queries,
  key: string,
  build: () => RawBuilder<Row>,
  parameters: readonly Cell[],
) => Promise<readonly Row[]>;

/** Caches compiled queries for the database's dialect. */
export function createRunInTransaction(db: Queries): RunInTransaction {
  const compiled = new Map<string, CompiledQuery>();
  return async <Row>(transaction: Queries, key: string, build: () => RawBuilder<Row>, parameters: readonly Cell[]) => {
    const query = compiled.get(key) ?? build().compile(db);
    compiled.set(key, query);
    return (await transaction.executeQuery<Row>({ ...(query as CompiledQuery<Row>), parameters })).rows;
  };
}
