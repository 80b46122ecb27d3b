import type { ProjectServices } from './ImportRequest.ts'
import type { ImportState } from './ImportState.ts'
import { runInTransaction, type Connection } from './importTransaction.ts'

const messagesPerTransaction = 1_000

/** Numbers the next messages of a channel after those of the archive, and adds its messages to the search. */
export async function completeChannel(database: Connection, channel: string): Promise<void> {
  await runInTransaction(database, () =>
    database.query(
      `update public.channel_counters k
       set last_seq = greatest(k.last_seq, m.last_seq), rev = greatest(k.rev, m.rev), last_at = greatest(k.last_at, m.last_at)
       from (
         select max(m.seq) as last_seq, max(m.rev) as rev, max(m.created_at) as last_at
         from public.messages m where m.channel_id = $1) m
       where k.channel_id = $1 and (m.last_seq > k.last_seq or m.rev > k.rev or (m.last_at > k.last_at) is not false)`,
      [channel],
    ),
  )
  let after: string | null = '0'
  while (after !== null)
    after = await runInTransaction(database, () => completeMessages(database, channel, after!))
}

/** Completes the next messages of a channel after the rev `after`. Returns the last rev; null at the end. */
async function completeMessages(
  database: Connection,
  channel: string,
  after: string,
): Promise<string | null> {
  const { rows } = await database.query<{ last: string | null }>(
    `with found as materialized (
       select m.* from public.message_changes k join public.messages m on m.id = k.message_id
       where k.channel_id = $1 and k.rev > $2 order by k.rev limit $3
     ), words as materialized (
       select m.id, m.channel_id, app.search_segment(m.rev) as segment, m.history_seq, m.created_at,
         app.index_text(app.searchable_text(m.body, m.extras))
           || array_to_tsvector(app.message_properties(m) || coalesce(app.file_words(m.id), '{}')) as words
       from found m
       where m.kind = 'text' and m.deleted_at is null
         and not exists (select from public.message_search s where s.message_id = m.id)
     ), indexed as (
       insert into public.message_search (message_id, channel_id, segment, history_seq, created_at, words)
       select w.id, w.channel_id, w.segment, w.history_seq, w.created_at,
         case when w.words @@ '''=file'''::tsquery then app.with_file_words(w.words, w.id) else w.words end
       from words w
     ), segments as (
       insert into public.search_segments as s (channel_id, segment, first_at, last_at)
       select w.channel_id, w.segment, min(w.created_at), max(w.created_at) from words w group by 1, 2
       on conflict (channel_id, segment) do update
       set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at)
     )
     select max(m.rev)::text as last from found m having count(*) = $3`,
    [channel, after, messagesPerTransaction],
  )
  return rows[0]?.last ?? null
}

/** Creates the missing accounts and gives each its profile. It comes last: nobody can open a workspace that is not complete. */
export async function linkAccounts(
  { database, accounts, profileIds, counts }: ImportState,
  services: ProjectServices,
): Promise<void> {
  for (const { id, profileId, email } of accounts) {
    if (profileIds.has(profileId)) continue
    const { rows } = await database.query<{ id: string; profile_id: string | null }>(
      `select u.id, p.id as profile_id from auth.users u left join public.profiles p on p.user_id = u.id
       where lower(u.email) = lower($1) and not u.is_sso_user`,
      [email],
    )
    if (rows[0]?.profile_id) continue
    const account = rows[0]?.id ?? (await services.createAccount({ id, email }))
    await runInTransaction(database, () =>
      database.query('update public.profiles set user_id = $1 where id = $2 and user_id is null', [
        account,
        profileId,
      ]),
    )
    counts('accounts').written++
  }
}
