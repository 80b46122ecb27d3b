/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildMessage } from '../../app/data/store/buildRows.fixture.ts'
import { ownRows } from '../../app/data/store/ownRows.fixture.ts'
import { ownDataTables } from '../../app/data/export/ownDataTables.ts'
import type { OwnRows } from '../../wire/sync.ts'
import { testDatabases, type TestDatabase } from './support/testDatabases.ts'

/**
 * The columns of `messages` that each function leaves out of a new message, which then have their defaults. A new column
 * fails until each function sets it, or is declared here.
 */
const defaultsOfNewMessages: Record<string, string[]> = {
  // Nobody replies to it, and it has no content besides its note.
  post_system_message: [
    'broadcast_at',
    'deleted_at',
    'edited_at',
    'extras',
    'last_reply_at',
    'last_thread_seq',
    'reply_count',
    'reply_people',
    'thread_root',
    'thread_seq',
  ],
  insert_message: [
    'broadcast_at',
    'deleted_at',
    'edited_at',
    'kind',
    'last_reply_at',
    'last_thread_seq',
    'reply_count',
    'reply_people',
    'system',
  ],
  // Only texts that are not deleted are moved.
  move_message: ['broadcast_at', 'deleted_at', 'kind', 'system'],
}

/** The columns of `messages` that stay after each function has emptied a message: its numbers, its author and its times. */
const tombstone = [
  'author_id',
  'broadcast_at',
  'channel_id',
  'created_at',
  'edited_at',
  'history_seq',
  'id',
  'kind',
  'last_thread_seq',
  'seq',
  'thread_root',
  'thread_seq',
]
const keptWhenEmptied: Record<string, string[]> = {
  // Its replies stay.
  erase_message: [...tombstone, 'last_reply_at', 'reply_count', 'reply_people'],
  // System messages are not moved.
  empty_moved_message: [...tombstone, 'system'],
}

/** The table and the JSON of each kind of own rows, and the columns that their owner does not receive under their name. */
const ownRowFunctions: Record<keyof OwnRows, { table: string; json: string; others: string[] }> = {
  drafts: { table: 'drafts', json: 'draft_as_json', others: ['profile_id', 'quote_id'] },
  saved: { table: 'saved_messages', json: 'saved_message_as_json', others: ['message_id', 'profile_id'] },
  responses: {
    table: 'command_responses',
    json: 'command_response_as_json',
    others: ['invocation_id', 'profile_id'],
  },
  searches: { table: 'saved_searches', json: 'saved_search_as_json', others: ['profile_id', 'workspace_id'] },
  scheduled: {
    table: 'scheduled_messages',
    json: 'scheduled_message_as_json',
    others: ['job_id', 'on_web', 'profile_id', 'quote_id'],
  },
  reminders: {
    table: 'reminders',
    json: 'reminder_as_json',
    others: ['job_id', 'profile_id', 'starts_at', 'workspace_id'],
  },
}

/** The arguments of `send_message` that a message without a session, or sent later, does not have. */
const notForLater: Record<string, string[]> = {
  // `channel_on_web` is decided by the job. A quote is an argument of its own; polls and recordings are sent at once.
  schedule_message: ['drafts', 'extras', 'on_web'],
  post_as: ['attachments', 'drafts', 'on_web'],
}

/** The columns of `profiles` that stay when a person is erased: they say nothing about the person. */
const keptOfErased = ['created_at', 'id', 'kind', 'second_factor', 'user_id', 'workspace_ids']

/** The columns of a person's own rows that the export leaves out. */
const notExported: Record<string, string[]> = {
  // When the status and the presence end.
  profiles: ['presence_until', 'status_expires_at'],
  workspace_members: ['profile_id'],
}

/** Tables with rows of one person that this person can read, and that are not in the export. */
const tablesNotExported = [
  // The server removes them after a day.
  'command_responses',
  // Other people have access to them, or decide about them.
  'bots',
  'mentions',
  'silences',
  'thread_members',
  'user_group_members',
]

/** Functions and files that list columns or arguments, compared with the definition. */
describe.each(testDatabases)('lists of columns on $name', ({ open }) => {
  let database: TestDatabase
  let client: Client
  const list = async (sql: string, values: unknown[] = []) =>
    (await client.query<{ value: string }>(sql, values)).rows.map(({ value }) => value)
  const columnsOf = (table: string) =>
    list(
      `select attname::text as value from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped order by 1`,
      [`public.${table}`],
    )
  const argumentsOf = (name: string) =>
    list(`select unnest(proargnames[1:pronargs]) as value from pg_proc where proname = $1 order by 1`, [name])
  /** The functions whose source has a match of a pattern, with its first group. */
  const matches = async (pattern: string) =>
    new Map(
      (
        await client.query<{ proname: string; found: string }>(
          `select proname, (regexp_match(prosrc, $1))[1] as found from pg_proc
           where pronamespace in ('app'::regnamespace, 'public'::regnamespace) and prosrc ~ $1`,
          [pattern],
        )
      ).rows.map(({ proname, found }) => [proname, found]),
    )
  const without = (all: readonly string[], others: readonly string[]) =>
    all.filter((one) => !others.includes(one))

  beforeAll(async () => {
    database = await open()
    client = new Client(database.config('postgres'))
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database.stop()
  })

  it('the JSON of a message has each column, and the fields of the type', async () => {
    const keys = await list(
      `select jsonb_object_keys(app.message_as_json(null::public.messages, null, '[]', '[]')) as value order by 1`,
    )
    expect(keys).toEqual(Object.keys(buildMessage(1)).toSorted())
    // The time of a broadcast only leads to the broadcasts to erase.
    expect(without(await columnsOf('messages'), keys)).toEqual(['broadcast_at'])
  })

  it.each(Object.keys(ownRows) as (keyof OwnRows)[])(
    'the JSON of %s has each column, and the fields of the type',
    async (kind) => {
      const { table, json, others } = ownRowFunctions[kind]
      const keys = await list(
        `select jsonb_object_keys(app.${json}(null::public.${table})) as value order by 1`,
      )
      expect(keys).toEqual(Object.keys(ownRows[kind]).toSorted())
      expect(without(await columnsOf(table), keys)).toEqual(others)
    },
  )

  it('each function that adds a message sets each column, or leaves it out on purpose', async () => {
    const columns = await columnsOf('messages')
    const lists = await matches(String.raw`insert into public\.messages(?: \w+)? \(([^)]*)\)`)
    expect([...lists.keys()].toSorted()).toEqual(Object.keys(defaultsOfNewMessages).toSorted())
    for (const [name, listed] of lists)
      expect(without(columns, listed.split(/,\s*/)), name).toEqual(defaultsOfNewMessages[name])
  })

  it('each function that empties a message changes each column, or keeps it on purpose', async () => {
    const columns = await columnsOf('messages')
    const updates = await matches(
      String.raw`update public\.messages(?: \w+)?\s+set ((?:[^;](?!where))*?deleted_at = (?:[^;](?!where))*)`,
    )
    expect([...updates.keys()].toSorted()).toEqual(Object.keys(keptWhenEmptied).toSorted())
    for (const [name, assignments] of updates) {
      const changed = columns.filter((column) =>
        new RegExp(String.raw`(?:^|,\s*)${column} = `).test(assignments),
      )
      expect(without(columns, changed), name).toEqual(keptWhenEmptied[name]?.toSorted())
    }
  })

  it('a message that is sent later takes what a message takes that is sent now', async () => {
    const sent = await argumentsOf('send_message')
    expect(sent).toContain('body')
    for (const [name, left] of Object.entries(notForLater))
      expect(without(sent, await argumentsOf(name)), name).toEqual(left)
    // And the row has what its job passes on: `quote_id`, and `files` for the attachments.
    expect(without(await argumentsOf('schedule_message'), await columnsOf('scheduled_messages'))).toEqual([
      'attachments',
      'channel',
      'quote',
    ])
    expect(without(await argumentsOf('post_as'), await columnsOf('scheduled_messages'))).toEqual([
      'author',
      'channel',
      // Cards of an incoming webhook, which schedules nothing.
      'extras',
      'quote',
    ])
  })

  it('the erasure of a person changes each column of the profile, or keeps it on purpose', async () => {
    const columns = await columnsOf('profiles')
    const assignments = (
      await matches(String.raw`update public\.profiles p\s+set ([^;]*)\swhere p\.id = person`)
    ).get('erase_profile')!
    const changed = columns.filter((column) =>
      new RegExp(String.raw`(?:^|,\s*)${column} = `).test(assignments),
    )
    expect(changed).toContain('name')
    expect(without(columns, changed)).toEqual(keptOfErased)
  })

  it('the export has each column of a person that they can read, or leaves it out on purpose', async () => {
    const exported = ownDataTables('me').map(([, query]) => {
      const [table, search] = query.split('?')
      return { table: table!, columns: new URLSearchParams(search).get('select')! }
    })
    for (const { table, columns } of exported.filter((one) => one.columns !== '*')) {
      const readable = await list(
        `select attname::text as value from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped
           and has_column_privilege('authenticated', attrelid, attnum, 'select') order by 1`,
        [`public.${table}`],
      )
      expect(without(readable, columns.split(',')), table).toEqual(notExported[table])
    }
    const own = await list(
      `select c.relname::text as value from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and has_any_column_privilege('authenticated', c.oid, 'select')
         and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'profile_id')
       order by 1`,
    )
    expect(own).toContain('drafts')
    expect(
      without(
        own,
        exported.map(({ table }) => table),
      ),
    ).toEqual(tablesNotExported.toSorted())
  })
})
