import type { Client } from 'pg'

/**
 * Stores the rows of the demo's workspace, and creates the function that inserts a copy of them. Running the seed again would
 * take ten times as long. In a copy the last 12 digits of each UUID are the number of the copy, so that references,
 * mentions and keys made of UUIDs follow, in the same order. No trigger runs, since its effects are copied as well.
 */
export const prepareCopies = `
create schema demo_copies;
create table demo_copies.rows (source regclass not null, content text not null);
do $$
declare
  source regclass;
begin
  for source in select c.oid from pg_class c where c.relkind = 'r' and (
    c.relnamespace = 'public'::regnamespace and c.relname not in ('settings', 'jobs')
    or c.oid in ('auth.users'::regclass, 'auth.identities'::regclass, 'storage.objects'::regclass))
  loop
    execute format('insert into demo_copies.rows select %1$L, t::text from %1$s t', source);
  end loop;
end $$;

create function demo_copies.insert_copy(suffix text, domain text) returns void
language plpgsql set session_replication_role = replica as $$
declare
  source regclass;
  columns text;
  fields text;
begin
  for source, columns, fields in
    select s.source, string_agg(quote_ident(a.attname), ', '), string_agg('(r.row).' || quote_ident(a.attname), ', ')
    from (select distinct r.source from demo_copies.rows r) s
    join pg_attribute a on a.attrelid = s.source and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by s.source
  loop
    execute format(
      'insert into %1$s (%2$s) overriding user value select %3$s from (
         select regexp_replace(replace(content, ''harbour.example'', $2),
           ''(?!0{8})([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)[0-9a-f]{12}'', ''\\1'' || $1, ''g'')::%1$s as row
         from demo_copies.rows where source = %1$L::regclass offset 0) r',
      source, columns, fields) using suffix, domain;
  end loop;
  -- A hash of UUIDs.
  update public.channels c set direct_key = app.hash_token(array_to_string(array(
    select m.profile_id from public.channel_members m where m.channel_id = c.id order by m.profile_id), ':'))
  where c.kind = 'group' and right(c.id::text, 12) = suffix;
end $$;
`

/** Inserts a copy of the demo's workspace, whose people have email addresses at `domain`. */
export async function insertCopy(db: Client, suffix: string, domain: string): Promise<void> {
  await db.query('select demo_copies.insert_copy($1, $2)', [suffix, domain])
}
