import type { Pool } from '../../../backend/postgres/connections/pool.ts'

export interface Snapshots {
  /** Saves all rows, in place of an earlier snapshot of that name. */
  save: (name: string) => Promise<void>
  /** Restores all rows of that snapshot. */
  restore: (name: string) => Promise<void>
}

/**
 * Snapshots of all tables of Linnet and of the sessions, inside the same database: like restoring a backup, in
 * milliseconds. Identity sequences are not reset, as nothing depends on their values but the order.
 */
export async function createSnapshots(admin: Pool): Promise<Snapshots> {
  await admin.query(`
    create function sync_test.tables() returns setof regclass language sql stable as $$
      select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and (n.nspname = 'public' or c.oid in ('auth.users'::regclass, 'auth.sessions'::regclass))
    $$;
    create function sync_test.columns(target regclass) returns text language sql stable as $$
      select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
      where attrelid = target and attnum > 0 and not attisdropped and attgenerated = ''
    $$;
    create function sync_test.save(name text) returns void language plpgsql as $$
    declare
      target regclass;
    begin
      execute format('drop schema if exists %1$I cascade; create schema %1$I', name);
      for target in select sync_test.tables() loop
        execute format('create table %I.%I as select %s from %s', name, target::text, sync_test.columns(target), target);
      end loop;
    end $$;
    create function sync_test.restore(name text) returns void language plpgsql as $$
    declare
      target regclass;
    begin
      -- Neither triggers nor foreign keys run on restored rows.
      set local session_replication_role = replica;
      for target in select sync_test.tables() loop
        execute format('delete from %s where true', target);
        execute format('insert into %1$s (%2$s) overriding system value select %2$s from %3$I.%4$I',
          target, sync_test.columns(target), name, target::text);
      end loop;
    end $$;`)
  return {
    save: async (name) => {
      await admin.query({ text: 'select sync_test.save($1)', values: [`snapshot ${name}`] })
    },
    restore: async (name) => {
      await admin.query({ text: 'select sync_test.restore($1)', values: [`snapshot ${name}`] })
    },
  }
}
