import type { Pool } from '../../../backend/postgres/connections/pool.ts'

/** A line of a topic, as in the table and in its broadcast. */
export interface Line {
  rev: number
  text: string
}

/** Topics whose lines are numbered under a lock and broadcast by a trigger, like the messages of an application. */
export interface Ledger {
  /** Writes a line to each of these topics in one transaction; rolled back with `undo`. */
  write(topics: string[], text: string, undo?: boolean): Promise<void>
  /** The lines of a topic after `rev`, in order. */
  read(topic: string, rev: number): Promise<Line[]>
}

const schema = `
  create schema if not exists ledger;
  create table if not exists ledger.counters (topic text primary key, rev bigint not null default 0);
  create table if not exists ledger.lines (topic text, rev bigint, text text not null, primary key (topic, rev));
  create or replace function ledger.tell() returns trigger language plpgsql security definer set search_path = ''
    as $$ begin
      perform realtime.send(
        pg_catalog.jsonb_build_object('rev', new.rev, 'text', new.text), 'line', new.topic, true);
      return null;
    end $$;
  create or replace trigger tell after insert on ledger.lines for each row execute function ledger.tell();
  create or replace function ledger.write(wanted text, line text) returns void language plpgsql set search_path = ''
    as $$ declare taken bigint; begin
      update ledger.counters set rev = rev + 1 where topic = wanted returning rev into taken;
      insert into ledger.lines values (wanted, taken, line);
    end $$;
  create policy "lines are for everyone with an account" on realtime.messages for select to authenticated
    using (extension = 'broadcast' and (select realtime.topic()) like 'ledger:%');
`

/** Creates the ledger with these topics (`ledger:…`). */
export async function openLedger(pool: Pool, topics: string[]): Promise<Ledger> {
  await pool.query(schema)
  await pool.query('insert into ledger.counters (topic) select unnest($1::text[])', [topics])
  return {
    async write(wanted, text, undo = false) {
      await pool.withClient(async (client) => {
        await client.query('begin')
        // In a fixed order, so that writers cannot deadlock.
        for (const topic of wanted.toSorted())
          await client.query('select ledger.write($1, $2)', [topic, text])
        await client.query(undo ? 'rollback' : 'commit')
      })
    },
    async read(topic, rev) {
      const { rows } = await pool.query<{ rev: string; text: string }>(
        'select rev, text from ledger.lines where topic = $1 and rev > $2 order by rev',
        [topic, rev],
      )
      return rows.map((row) => ({ rev: Number(row.rev), text: row.text }))
    },
  }
}
