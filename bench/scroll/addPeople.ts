import { Client } from 'pg'

/** Adds people and public channels to the workspace of the demo. `isJoined`: Ann is in the channels. */
export async function addPeople(
  dbUrl: string,
  { people, channels, isJoined = false }: { people: number; channels: number; isJoined?: boolean },
): Promise<void> {
  const client = new Client(dbUrl)
  await client.connect()
  try {
    await client.query(`set session_replication_role = 'replica'`)
    await client.query(
      `with syllables as (select array['an', 'be', 'cor', 'dal', 'e', 'fin', 'gre', 'ha', 'lin', 'mar', 'no', 'ri', 'sa', 'ta'] as s),
         people as (
           insert into public.profiles (id, name)
           select gen_random_uuid(), initcap(s[1 + n % 14] || s[1 + n / 14 % 14] || ' ' || s[1 + n / 7 % 14] || s[1 + n / 3 % 14] || 'berg')
           from syllables, generate_series(1, $1::int) n returning id)
       insert into public.workspace_members (workspace_id, profile_id, role)
       select w.id, p.id, 'member' from people p, public.workspaces w`,
      [people],
    )
    await client.query(
      `with added as (
         insert into public.channels (id, workspace_id, kind, name, created_by)
         select gen_random_uuid(), w.id, 'public', 'project ' || n, (select id from public.profiles limit 1)
         from public.workspaces w, generate_series(1, $1::int) n returning id)
       insert into public.channel_counters (channel_id, last_seq, rev) select id, 0, 0 from added`,
      [channels],
    )
    const joined = `select c.id, p.id from public.channels c, public.profiles p join auth.users u on u.id = p.user_id
      where c.name like 'project %' and u.email = 'ann@harbour.example'`
    if (!isJoined) return
    for (const table of ['channel_members', 'channel_member_state'])
      await client.query(`insert into public.${table} (channel_id, profile_id) ${joined}`)
  } finally {
    await client.end()
  }
}
