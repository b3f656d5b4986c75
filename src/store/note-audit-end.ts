import type { DatabaseConnection } from './database-connection.ts';

/** Notes where a chain of the audit trail ends whenever a row is added to it, in the same transaction. */
export function noteAuditEnd(kind: DatabaseConnection['kind']): string {
  const note = `update audit_chain set last_id = new.id, hash = new.hash
    where name = case new.is_security when 1 then 'security' else 'changes' end`;
  return kind === 'sqlite'
    ? `create trigger audit_event_end after insert on audit_event when new.hash is not null begin ${note}; end;`
    : `
      create function note_audit_end() returns trigger language plpgsql as $$ begin ${note}; return null; end $$;
      create trigger audit_event_end after insert on audit_event for each row when (new.hash is not null)
        execute procedure note_audit_end();`;
}
