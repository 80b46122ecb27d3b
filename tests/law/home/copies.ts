import type { Pool } from '../../../backend/postgres/connections/pool.ts'

export interface Copies {
  /** Keeps what every table holds now, in place of an earlier copy of that name. */
  keep: (name: string) => Promise<void>
  /** Every table holds again what it held then. */
  restore: (name: string) => Promise<void>
}

/**
 * Copies of all tables of Linnet and of sessions, inside the same database: as a home restored from a backup, in
 * milliseconds. Numbers of identities go on, as nothing depends on them but their order.
 */
export async function copyTables(admin: Pool): Promise<Copies> {
  await admin.query(`
    create function law.tables() returns setof regclass language sql stable as $$
      select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and (n.nspname = 'public' or c.oid in ('auth.users'::regclass, 'auth.sessions'::regclass))
    $$;
    create function law.columns(wanted regclass) returns text language sql stable as $$
      select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
      where attrelid = wanted and attnum > 0 and not attisdropped and attgenerated = ''
    $$;
    create function law.keep(called text) returns void language plpgsql as $$
    declare
      wanted regclass;
    begin
      execute format('drop schema if exists %1$I cascade; create schema %1$I', called);
      for wanted in select law.tables() loop
        execute format('create table %I.%I as select %s from %s', called, wanted::text, law.columns(wanted), wanted);
      end loop;
    end $$;
    create function law.restore(called text) returns void language plpgsql as $$
    declare
      wanted regclass;
    begin
      -- Neither triggers nor foreign keys have a say in what comes back.
      set local session_replication_role = replica;
      for wanted in select law.tables() loop
        execute format('delete from %s where true', wanted);
        execute format('insert into %1$s (%2$s) overriding system value select %2$s from %3$I.%4$I',
          wanted, law.columns(wanted), called, wanted::text);
      end loop;
    end $$;`)
  return {
    keep: async (name) => {
      await admin.query({ text: 'select law.keep($1)', values: [`copy ${name}`] })
    },
    restore: async (name) => {
      await admin.query({ text: 'select law.restore($1)', values: [`copy ${name}`] })
    },
  }
}
