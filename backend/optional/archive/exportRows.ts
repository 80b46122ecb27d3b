import type { Client } from 'pg'
import type { PageMessage } from '../../../wire/pages/renderMessage.ts'
import { credentialsExpression, secretsQuery, secretsTable } from './credentials.ts'
import { leftBehind } from './leftBehind.ts'
import { archivedTables, type ArchivedTable } from './tables.ts'

const rowsPerFetch = 1_000

/** A stored object that an archive contains. */
export interface StoredObject {
  bucket: 'files' | 'avatars'
  name: string
  size: number
  type: string
  /** The name of an attached file; null for other objects. */
  fileName: string | null
}

/** The people of a workspace who have an account with a confirmed address; with credentials also the accounts of bots. */
const accountsQuery = (
  credentials: string | null,
): string => `select u.id, p.id as profile_id, u.email${credentials === null ? '' : `, ${credentials} as credentials`}
  from public.profiles p
  join auth.users u on u.id = p.user_id
  where p.kind ${credentials === null ? `= 'person'` : `in ('person', 'bot')`} and u.email <> '' and u.email_confirmed_at is not null
    and exists (select from public.workspace_members w where w.profile_id = p.id and w.workspace_id = $1)
  order by p.id`

/** `owner`: the rows that owners of the workspace may read, as `app.exported_channels` decides. */
export type ExportScope = 'all' | 'owner'

/** The table expression that conditions of tables use: the channels of an export. */
export const exportedChannels =
  'with exported as materialized (select app.exported_channels($1, $2) as channel_id)'

const rowsQuery = (
  { name, columns, credentials, within, ownerScope, order }: ArchivedTable,
  scope: ExportScope,
  withCredentials: boolean,
): string =>
  `select ${[...columns, ...(withCredentials ? credentials : [])].map((column) => `t.${column}`).join(', ')} from public.${name} t
   where ${within}${scope === 'owner' && ownerScope !== undefined ? ` and ${ownerScope}` : ''} order by ${order}`

/** The name of a file. Several messages can have the file, and must lead to the same path. */
const fileName = (channel: string, upload: string): string =>
  `(select min(n.name) from public.attachments n where n.upload_channel_id = ${channel} and n.upload_id = ${upload})`

/** Without files that belong to no message, bookmark or scheduled message: nobody has sent them. */
const objectsQuery = `select o.bucket_id as bucket, o.name, coalesce((o.metadata ->> 'size')::bigint, 0)::float8 as size,
    coalesce(o.metadata ->> 'mimetype', 'application/octet-stream') as type,
    case when o.bucket_id = 'files' and o.name like '%/file'
      then ${fileName('app.channel_in_path(o.name)', 'app.upload_in_path(o.name)')} end as "fileName"
  from storage.objects o
  where o.bucket_id = 'files'
      and app.channel_in_path(o.name) in (select e.channel_id from exported e)
      and (exists (
          select from public.attachments a
          where a.upload_id = app.upload_in_path(o.name) and a.upload_channel_id = app.channel_in_path(o.name))
        or exists (
          select from public.channel_bookmarks b
          where b.upload_id = app.upload_in_path(o.name) and b.upload_channel_id = app.channel_in_path(o.name))
        or $2 = 'all' and app.is_scheduled_file(o.name))
    or o.bucket_id = 'avatars' and (
      exists (
        select from public.profiles p join public.workspace_members w on w.profile_id = p.id
        where p.avatar = o.name and w.workspace_id = $1)
      or exists (select from public.workspaces w where w.icon = o.name and w.id = $1)
      or exists (select from public.custom_emoji e where e.workspace_id = $1 and e.workspace_id || '/' || e.id = o.name))
  order by 1, 2`

/** A message of a page, with the objects of its files. */
export interface ArchivedMessage extends Omit<PageMessage, 'files'> {
  files: { object: string; name: string; type: string; fileName: string }[]
}

/**
 * The messages of the channel `$3`: each thread after its first message. Deleted messages only if they have replies. A quoted or
 * forwarded message only if its channel is exported.
 */
const pageQuery = `select m.id, m.kind, m.thread_root, m.author_id, m.body, m.system, m.extras, m.created_at, m.edited_at,
    m.deleted_at, (select p.pinned_at from public.pins p where p.message_id = m.id) as pinned_at,
    coalesce((select json_agg(json_build_object('object', a.upload_channel_id || '/' || a.upload_id || '/file',
        'name', a.name, 'type', a.type, 'fileName', ${fileName('a.upload_channel_id', 'a.upload_id')}) order by a.position)
      from public.attachments a
      where a.message_id = m.id and a.upload_channel_id in (select e.channel_id from exported e)), '[]') as files,
    coalesce((select json_agg(json_build_object('emoji', r.emoji, 'count', r.count) order by r.first)
      from (
        select r.emoji, count(*) as count, min(r.position) as first from public.reactions r
        where r.message_id = m.id group by r.emoji) r), '[]') as reactions,
    case when m.extras ?| array['quote', 'forward'] then (
      select json_build_object('author_id', q.author_id, 'body', q.body, 'created_at', app.written_at(q),
        'files', coalesce((select json_agg(a.name order by a.position) from public.attachments a
          where a.message_id = q.id and a.upload_channel_id in (select e.channel_id from exported e)), '[]'))
      from public.messages q
      where q.id = coalesce(m.extras #>> '{quote,message_id}', m.extras #>> '{forward,message_id}')::uuid
        and q.deleted_at is null and q.channel_id in (select e.channel_id from exported e)) end as referred
  from public.messages m
  where m.channel_id = $3 and (m.deleted_at is null or m.reply_count > 0)
  order by m.history_seq, m.thread_seq nulls first, m.id`

/** The rows and objects of a workspace as they are at one moment. */
export interface Snapshot {
  /** The tables of the archive; `accounts` is the first. */
  tables: readonly string[]
  /** The rows of a table as lines of JSON, without line breaks. */
  lines(table: string): AsyncGenerator<string>
  objects(): AsyncGenerator<StoredObject>
  /** The messages of a channel for its pages. */
  messages(channel: string): AsyncGenerator<ArchivedMessage>
  /** What the archive leaves behind. The numbers are for the person who runs the server. */
  countLeftBehind(): Promise<{ what: string; becomes: string; count: number | null }[]>
  close(): Promise<void>
}

/**
 * Begins a transaction that sees the database as it is now, until `close`. Cursors bound the memory. `database` is a connection of
 * the role `postgres`.
 */
export async function openSnapshot(
  database: Client,
  workspaceId: string,
  scope: ExportScope = 'all',
  withCredentials = false,
): Promise<Snapshot> {
  await database.query('begin transaction isolation level repeatable read, read only')
  await database.query(`set local timezone = 'UTC'`)

  async function* read<R>(query: string, ...parameters: string[]): AsyncGenerator<R> {
    await database.query(`declare archive_rows no scroll cursor for ${exportedChannels} ${query}`, [
      workspaceId,
      scope,
      ...parameters,
    ])
    for (;;) {
      const { rows } = await database.query(`fetch ${rowsPerFetch} from archive_rows`)
      yield* rows as R[]
      if (rows.length < rowsPerFetch) break
    }
    await database.query('close archive_rows')
  }

  const credentials = withCredentials ? await credentialsExpression(database) : null
  const queries = new Map([
    ['accounts', accountsQuery(credentials)],
    ...archivedTables.map((table) => [table.name, rowsQuery(table, scope, withCredentials)] as const),
    ...(withCredentials ? ([[secretsTable, secretsQuery]] as const) : []),
  ])

  return {
    tables: Array.from(queries.keys()),
    async *lines(table) {
      const query = queries.get(table)!
      for await (const { line } of read<{ line: string }>(
        `select row_to_json(r)::text as line from (${query}) r`,
      ))
        yield line
    },
    async *messages(channel) {
      for await (const { line } of read<{ line: ArchivedMessage }>(
        `select row_to_json(r) as line from (${pageQuery}) r`,
        channel,
      ))
        yield line
    },
    objects: () => read<StoredObject>(objectsQuery),
    async countLeftBehind() {
      const found = []
      for (const { what, becomes, count, isCredential } of leftBehind) {
        if (isCredential && withCredentials) continue
        const counted =
          scope === 'all'
            ? Number((await database.query<{ count: string }>(count, [workspaceId])).rows[0]!.count)
            : null
        if (counted !== 0) found.push({ what, becomes, count: counted })
      }
      return found
    },
    close: async () => void (await database.query('rollback')),
  }
}
