import type { ProjectServices } from './ImportRequest.ts'
import { storeCredentials } from './credentials.ts'
import type { ImportState } from './ImportState.ts'
import { runInTransaction, type Connection } from './importTransaction.ts'

/**
 * Sets the counters of the imported channels to the last message of the archive, and adds the messages to the search. Each connection
 * completes one group after the other, because PostgreSQL computes the terms of a statement on one core.
 */
export async function completeImportedChannels(
  { database }: ImportState,
  connections: readonly Connection[],
): Promise<void> {
  const { rows } = await database.query<{ id: string }>('select id from import_channels order by id')
  const channels = rows.map(({ id }) => id)
  if (channels.length === 0) return
  await withPendingList(database, (mergeList) => completeGroups(database, channels, connections, mergeList))
}

/** As completeImportedChannels, for channels that have few new messages. The ids are sorted. */
export const completeChannels = (database: Connection, channels: readonly string[]): Promise<void> =>
  completeGroups(database, channels, [database])

async function completeGroups(
  database: Connection,
  channels: readonly string[],
  connections: readonly Connection[],
  afterGroup: (connection: Connection) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (let first = 0; first < channels.length; first += channelsPerStatement)
    await runInTransaction(database, () =>
      numberChannels(database, channels.slice(first, first + channelsPerStatement)),
    )
  const groups = await listGroups(database, channels)
  // The connections share the iterator.
  const waiting = groups.values()
  const work = async (connection: Connection): Promise<void> => {
    for (const segments of waiting) {
      await runInTransaction(connection, () => completeSegments(connection, segments))
      await afterGroup(connection)
    }
  }
  const failed = (await Promise.allSettled(connections.map(work))).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

const pendingListTries = 10

/**
 * Collects the terms of the search in the pending list of the index while `work` runs: the index then takes them in a third of the
 * time, and a tenth of the log. `work` merges the list after each group, so that other people's searches read a short one. If other
 * transactions use the index all the time, each term is added at once, as for a message that is sent.
 */
async function withPendingList(
  database: Connection,
  work: (mergeList: (connection: Connection) => Promise<void>) => Promise<void>,
): Promise<void> {
  const lock = `hashtextextended('pending search terms', 0)`
  const tryUse = async (isUsed: boolean): Promise<boolean> => {
    for (let tries = 0; tries < pendingListTries; tries++) {
      const { rows } = await database.query<{ changed: boolean }>(
        'select app.use_pending_list($1) as changed',
        [isUsed],
      )
      if (rows[0]!.changed) return true
    }
    return false
  }
  await database.query(`select pg_advisory_lock_shared(${lock})`)
  try {
    const isUsed = await tryUse(true)
    await work(async (connection) => {
      if (isUsed) await connection.query(`select gin_clean_pending_list('public.message_search_terms')`)
    })
  } finally {
    // The connection can have ended.
    await database.query(`select pg_advisory_unlock_shared(${lock})`).catch(() => {})
    // A job of the schema tries again.
    await tryUse(false).catch(() => {})
  }
}

const channelsPerStatement = 100
/** As many as a segment of the search can have. */
const messagesPerGroup = 4_096

/** A part of the messages of a channel: see app.search_segment. */
interface Segment {
  channel: string
  segment: string
}

/** Segments with about as many messages as the largest one, since conversations can have few messages each. */
async function listGroups(database: Connection, channels: readonly string[]): Promise<Segment[][]> {
  const groups: Segment[][] = []
  let size = messagesPerGroup
  for (let first = 0; first < channels.length; first += channelsPerStatement) {
    const { rows } = await database.query<Segment & { messages: number }>(
      `select c.id as channel, s.segment::text, s.messages::int
       from unnest($1::uuid[]) c (id)
       cross join lateral (
         select app.search_segment(k.rev) as segment, count(*) as messages
         from public.message_changes k where k.channel_id = c.id group by 1 offset 0) s`,
      [channels.slice(first, first + channelsPerStatement)],
    )
    for (const { channel, segment, messages } of rows) {
      size += messages
      if (size > messagesPerGroup) {
        groups.push([])
        size = messages
      }
      groups.at(-1)!.push({ channel, segment })
    }
  }
  return groups
}

/** The sort reads the messages of all channels before the first counter is locked, for which senders would wait. */
async function numberChannels(database: Connection, channels: readonly string[]): Promise<void> {
  await database.query(
    `update public.channel_counters k
     set last_seq = greatest(k.last_seq, m.last_seq), rev = greatest(k.rev, m.rev), last_at = greatest(k.last_at, m.last_at)
     from (
       select c.id, n.* from unnest($1::uuid[]) c (id)
       cross join lateral (
         select max(m.seq) as last_seq, max(m.rev) as rev, max(m.created_at) as last_at
         from public.messages m where m.channel_id = c.id) n
       order by c.id offset 0) m
     where k.channel_id = m.id and (m.last_seq > k.last_seq or m.rev > k.rev or (m.last_at > k.last_at) is not false)`,
    [channels],
  )
}

/**
 * The properties of all messages are found at once: app.message_properties would run five queries for each message. The subqueries of
 * the first step return one value, so that PostgreSQL reads messages by their ids. For a join it can read all messages of the server.
 */
async function completeSegments(database: Connection, segments: readonly Segment[]): Promise<void> {
  await database.query(
    `with found as materialized (
       select k.id from unnest($1::uuid[], $2::bigint[]) p (channel_id, segment)
       cross join lateral (
         select k.message_id as id from public.message_changes k
         where k.channel_id = p.channel_id and k.rev between p.segment << 12 and (p.segment << 12) + 4095 offset 0) k
       where (select m.kind = 'text' and m.deleted_at is null from public.messages m where m.id = k.id)
         and (select s.message_id from public.message_search s where s.message_id = k.id) is null
     ), files as materialized (
       select a.message_id, string_agg(a.name, ' ') as names, bool_or(a.type like 'image/%') as has_image
       from public.attachments a where a.message_id = any (array(select f.id from found f)) group by 1
     ), pinned as materialized (
       select p.message_id from public.pins p where p.message_id = any (array(select f.id from found f))
     ), reacted as materialized (
       select distinct r.message_id from public.reactions r
       where r.message_id = any (array(select f.id from found f)) and r.emoji !~ '^(poll|task):'
     ), words as materialized (
       select m.id, m.channel_id, app.search_segment(m.rev) as segment, m.history_seq, m.created_at,
         a.message_id is not null as has_files,
         app.index_text(app.searchable_text(m.body, m.extras)) || array_to_tsvector(
           app.new_message_properties(m) || array_remove(array[
             case when a.message_id is not null then '=file' end,
             case when a.has_image then '=image' end,
             case when p.message_id is not null then '=pinned' end,
             case when r.message_id is not null then '=reaction' end], null)
           || case when a.message_id is null then '{}' else app.split_words(a.names) end) as words
       from public.messages m
       left join files a on a.message_id = m.id
       left join pinned p on p.message_id = m.id
       left join reacted r on r.message_id = m.id
       where m.id = any (array(select f.id from found f))
     ), indexed as (
       insert into public.message_search (message_id, channel_id, segment, history_seq, created_at, words)
       select w.id, w.channel_id, w.segment, w.history_seq, w.created_at,
         case when w.has_files then app.with_file_words(w.words, w.id) else w.words end
       from words w
     )
     insert into public.search_segments as s (channel_id, segment, first_at, last_at)
     select w.channel_id, w.segment, min(w.created_at), max(w.created_at) from words w group by 1, 2
     on conflict (channel_id, segment) do update
     set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at)`,
    [segments.map(({ channel }) => channel), segments.map(({ segment }) => segment)],
  )
}

/** Creates the missing accounts and gives each its profile. It comes last: nobody can open a workspace that is not complete. */
export async function linkAccounts(
  { database, accounts, profileIds, counts }: ImportState,
  services: ProjectServices,
): Promise<void> {
  for (const { id, profileId, email, credentials } of accounts) {
    if (profileIds.has(profileId)) continue
    const { rows } = await database.query<{ id: string; profile_id: string | null }>(
      `select u.id, p.id as profile_id from auth.users u left join public.profiles p on p.user_id = u.id
       where lower(u.email) = lower($1) and not u.is_sso_user`,
      [email],
    )
    if (rows[0]?.profile_id) continue
    const account = rows[0]?.id ?? (await services.createAccount({ id, email }))
    await runInTransaction(database, async () => {
      await database.query('update public.profiles set user_id = $1 where id = $2 and user_id is null', [
        account,
        profileId,
      ])
      // Another id: somebody else has created the account. The hashes of recovery codes contain the id.
      if (credentials !== null && account === id) await storeCredentials(database, account, credentials)
    })
    counts('accounts').written++
  }
}

/**
 * Starts the jobs that read the files of the import. They had to wait, so that they did not slow it down.
 * Adds the jobs of scheduled messages and reminders whose time is still to come. A time that has passed stays in the list of its
 * person, who decides. Also disables outgoing webhooks without a secret, and removes the times of tokens that no bot has.
 */
export async function startWaitingRows({ database, workspaceId }: ImportState): Promise<void> {
  await runInTransaction(database, async () => {
    await database.query(
      `update public.jobs j set run_at = now()
       where j.kind in ('index_file', 'remove_metadata') and j.attempts = 0 and j.run_at > now()`,
    )
    await database.query(
      `with waiting as (
         select s.profile_id, s.id, app.add_job('scheduled_message', s.profile_id, jsonb_build_object('message_id', s.id), s.send_at) as job_id
         from public.scheduled_messages s join public.channels c on c.id = s.channel_id
         where c.workspace_id = $1 and s.problem = 'scheduled_in_the_past' and s.send_at > now()
       )
       update public.scheduled_messages s set problem = null, job_id = w.job_id
       from waiting w where s.profile_id = w.profile_id and s.id = w.id`,
      [workspaceId],
    )
    await database.query(
      `with waiting as (
         select r.profile_id, r.id, n.next_at,
           app.add_job('reminder', r.profile_id, jsonb_build_object('reminder_id', r.id), n.next_at) as job_id
         from public.reminders r
         cross join lateral (select case when r.due_at > now() then r.due_at
           when r.repeats is not null then app.next_occurrence(r.starts_at, r.time_zone, r.repeats, now()) end) n (next_at)
         where r.workspace_id = $1 and r.job_id is null and n.next_at is not null
       )
       update public.reminders r
       set job_id = w.job_id, due_at = w.next_at, reminded_at = case when r.reminded_at <= now() then r.reminded_at end
       from waiting w where r.profile_id = w.profile_id and r.id = w.id`,
      [workspaceId],
    )
    await database.query(
      `update public.outgoing_webhooks h
       set disabled_at = now(), problem = 'The archive did not contain the secret.'
       from public.bots b
       where b.profile_id = h.bot_id and b.workspace_id = $1 and h.disabled_at is null
         and not exists (select from vault.secrets s where s.name = 'outgoing webhook ' || h.id)`,
      [workspaceId],
    )
    await database.query(
      `update public.bots b set token_created_at = null, token_expires_at = null, token_created_by = null
       from public.profiles p
       where p.id = b.profile_id and b.workspace_id = $1 and p.user_id is null and b.token_created_at is not null`,
      [workspaceId],
    )
  })
}
