import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ArchiveRow } from '../../backend/optional/archive/ArchiveRow.ts'
import { beginImport, finishImport } from '../../backend/optional/archive/importRecord.ts'
import { importRows } from '../../backend/optional/archive/importRows.ts'
import { userTopic } from '../../wire/events.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** An export of three channels by Nia, who has no account, and Bea. */
interface Export {
  nia: Uuid
  board: Uuid
  council: Uuid
  talk: Uuid
  upload: Uuid
  /** Nia's messages in `board`, and Bea's in `council`. */
  messages: Uuid[]
}

const createExport = (): Export => ({
  nia: randomUUID(),
  board: randomUUID(),
  council: randomUUID(),
  talk: randomUUID(),
  upload: randomUUID(),
  messages: [randomUUID(), randomUUID(), randomUUID()],
})

/** Ann owns the workspace; Bea is a member, Gus a guest, Omar an outsider, and Zoe owns another workspace. */
describe.each(testDatabases)('imports on $name', ({ open }) => {
  let fixture: Fixture
  let database: Client
  beforeAll(async () => {
    fixture = await openFixture(await open())
    database = new Client(fixture.database.config('postgres'))
    await database.connect()
  })
  afterAll(async () => {
    await database?.end()
    await fixture?.stop()
  })

  const source = { product: 'slack', sourceName: 'Harbour', importedBy: null }
  const at = '2020-01-01T00:00:00Z'

  function* rowsOf(
    { nia, board, council, talk, upload, messages }: Export,
    importId: Uuid,
  ): Generator<ArchiveRow> {
    const { workspace, profile } = fixture
    yield { table: 'profiles', row: { id: nia, kind: 'imported', name: 'Nia', created_at: at } }
    yield {
      table: 'imported_people',
      row: { profile_id: nia, workspace_id: workspace, import_id: importId, email: 'nia@harbour.example' },
    }
    yield {
      table: 'workspace_members',
      row: {
        workspace_id: workspace,
        profile_id: nia,
        role: 'member',
        state: 'deactivated',
        deactivated_at: at,
      },
    }
    const channel = { workspace_id: workspace, created_by: nia, import_id: importId }
    yield { table: 'channels', row: { id: board, kind: 'public', name: `board ${board}`, ...channel } }
    yield { table: 'channels', row: { id: council, kind: 'private', name: 'council', ...channel } }
    const key = [nia, profile.bea].toSorted().join(':')
    yield { table: 'channels', row: { id: talk, kind: 'direct', direct_key: key, ...channel } }
    for (const [index, id] of messages.entries()) {
      const seq = index === 2 ? 1 : index + 1
      yield {
        table: 'messages',
        row: {
          id,
          channel_id: index === 2 ? council : board,
          seq,
          history_seq: seq,
          rev: seq,
          author_id: index === 2 ? profile.bea : nia,
          body: index === 1 ? `For <@${profile.bea}>` : 'Moored',
          created_at: at,
        },
      }
    }
    yield {
      table: 'attachments',
      row: {
        message_id: messages[0],
        upload_id: upload,
        upload_channel_id: board,
        position: 0,
        name: 'plan.txt',
        type: 'text/plain',
        size: 5,
      },
    }
    for (const [place, people] of [
      [board, [nia, profile.bea, profile.cem]],
      [council, [nia, profile.bea]],
      [talk, [nia, profile.bea]],
    ] as const)
      for (const person of people)
        yield { table: 'channel_members', row: { channel_id: place, profile_id: person, created_at: at } }
  }

  async function* none(): AsyncGenerator<never> {}
  const write = async (rows: Iterable<ArchiveRow>) => {
    await importRows({
      database,
      services: { storeObject: async () => false, createAccount: async ({ id }) => id },
      workspaceId: fixture.workspace,
      rows: (async function* () {
        yield* rows
      })(),
      files: none(),
    })
  }
  const runImport = async (content: Export): Promise<Uuid> => {
    const id = await beginImport(database, fixture.workspace, source)
    await write(rowsOf(content, id))
    await finishImport(database, id, { channels: ['board', 'council'] })
    return id
  }
  const list = async () =>
    (await fixture.rolledBackAs('ann', (s) => s.call('list_imports', { workspace: fixture.workspace })))
      .imports
  const find = async (id: Uuid) => (await list()).find((one) => one.id === id)
  const undo = (id: Uuid, accepted_messages = 0) =>
    fixture.committedAs('ann', (s) => s.call('undo_import', { import: id, accepted_messages }))
  const runJob = () => database.query('call app.delete_deleted_channels()')
  const exists = async (table: string, column: string, value: Uuid) =>
    (await database.query(`select from public.${table} where ${column} = $1`, [value])).rows.length > 0
  /** Runs the job until everything that was undone is removed. */
  const completeUndo = async () => {
    await runJob()
    await database.query('delete from public.file_deletion_queue')
    await runJob()
  }
  const queuedFiles = async ({ board }: Export) =>
    (
      await database.query<{ name: string }>(
        `select name from public.file_deletion_queue where name like $1 order by name`,
        [`${board}/%`],
      )
    ).rows.map(({ name }) => name)
  const send = (channel: Uuid, body = 'Later') =>
    fixture.committedAs('bea', (s) => s.call('send_message', { id: randomUUID(), channel, body }))
  const audit = async (action: string) =>
    (
      await fixture.rolledBackAs('ann', (s) =>
        s.call('list_audit_log', { workspace: fixture.workspace, action }),
      )
    ).entries

  it('an import is listed with what it has created, and leaves an entry in the audit log', async () => {
    const id = await runImport(createExport())
    expect(await find(id)).toMatchObject({
      product: 'slack',
      source_name: 'Harbour',
      imported_by: null,
      undone_at: null,
      channels: 3,
      people: 1,
    })
    expect(await fixture.rolledBackAs('ann', (s) => s.call('import_receipt', { import: id }))).toEqual({
      receipt: { channels: ['board', 'council'] },
    })
    expect((await audit('import.finished'))[0]).toMatchObject({
      actor_id: null,
      target: { import_id: id, product: 'slack' },
    })
  })

  it('a second import of the same export is not recorded, and an interrupted one continues', async () => {
    const content = createExport()
    const first = await beginImport(database, fixture.workspace, source)
    expect(await beginImport(database, fixture.workspace, source)).toBe(first)
    expect(await beginImport(database, fixture.workspace, { ...source, sourceName: 'Other' })).not.toBe(first)
    await write(rowsOf(content, first))
    await finishImport(database, first, {})
    const second = await runImport(content)
    expect(await find(second)).toBeUndefined()
    expect((await find(first))?.channels).toBe(3)
  })

  it('only owners undo imports and read receipts; admins read the list', async () => {
    const id = await runImport(createExport())
    const failures = async (s: TestTransaction) => [
      await s.failure('import_receipt', { import: id }),
      await s.failure('preview_undo', { import: id }),
      await s.failure('undo_import', { import: id }),
    ]
    for (const [who, error] of [
      ['bea', 'not_allowed'],
      ['gus', 'not_allowed'],
      ['omar', 'not_found'],
      ['zoe', 'not_found'],
    ] as const) {
      const results = await fixture.rolledBackAs(who, async (s) => [
        await s.failure('list_imports', { workspace: fixture.workspace }),
        ...(await failures(s)),
      ])
      expect([who, ...results]).toEqual([who, error, error, error, error])
    }
    await fixture.service(async (s) => {
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
        fixture.profile.bea,
      ])
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [
          JSON.stringify({
            role: 'authenticated',
            sub: fixture.account.bea,
            session_id: fixture.account.bea,
          }),
        ],
      )
      const { imports } = await s.call('list_imports', { workspace: fixture.workspace })
      expect(imports.map((one) => one.id)).toContain(id)
      expect(await failures(s)).toEqual(['not_allowed', 'not_allowed', 'not_allowed'])
    })
  })

  it('the undo takes the channels from everybody at once, and a job deletes rows, files and people', async () => {
    const content = createExport()
    const id = await runImport(content)
    const events = await collectBroadcasts(fixture, 'ann', (s) => s.call('undo_import', { import: id }))
    for (const channel of [content.board, content.council, content.talk])
      expect(
        events.filter(
          ({ topic, event, payload }) =>
            topic === userTopic(fixture.profile.bea) &&
            event === 'membership' &&
            (payload as { channel_id: Uuid }).channel_id === channel,
        ),
      ).toMatchObject([{ payload: { entry: null } }])
    const visible = await fixture.rolledBackAs('bea', (s) =>
      s.value('select count(*)::int from public.messages where id = any ($1)', [content.messages]),
    )
    expect(visible).toBe(0)
    expect(await find(id)).toMatchObject({ channels: 0, people: 1, removed_at: null })
    expect((await find(id))?.undone_at).not.toBeNull()
    expect((await audit('import.undone'))[0]).toMatchObject({
      actor_id: fixture.profile.ann,
      target: { import_id: id },
    })

    await database.query('delete from supabase_functions.invocations')
    await runJob()
    const { rows: invoked } = await database.query('select function_name from supabase_functions.invocations')
    expect(invoked).toContainEqual({ function_name: 'delete-files' })
    for (const channel of [content.board, content.council, content.talk])
      expect(await exists('channels', 'id', channel)).toBe(false)
    expect(await exists('profiles', 'id', content.nia)).toBe(false)
    expect(await queuedFiles(content)).toEqual([
      `${content.board}/${content.upload}/file`,
      `${content.board}/${content.upload}/thumb`,
    ])
    // The same files would be stored again, and then deleted.
    expect((await find(id))?.removed_at).toBeNull()
    await database.query('delete from public.file_deletion_queue')
    await runJob()
    expect((await find(id))?.removed_at).not.toBeNull()
  })

  it('the same export is imported completely after the undo, and not before its rows are removed', async () => {
    const content = createExport()
    const id = await runImport(content)
    await undo(id)
    await expect(beginImport(database, fixture.workspace, source)).rejects.toThrow('still being undone')
    await completeUndo()
    const second = await runImport(content)
    expect(second).not.toBe(id)
    expect(await find(second)).toMatchObject({ channels: 3, people: 1 })
    for (const message of content.messages) expect(await exists('messages', 'id', message)).toBe(true)
    await undo(second)
    await completeUndo()
  })

  it('the undo removes custom emoji and pictures, unless another message has the emoji', async () => {
    const content = createExport()
    const id = await runImport(content)
    const emoji = ['sail', 'reef', 'dock', 'kite', 'moor'].map((name) => ({ name, id: randomUUID() }))
    await write(
      emoji.map((row) => ({
        table: 'custom_emoji',
        row: {
          ...row,
          workspace_id: fixture.workspace,
          aliases: row.name === 'kite' ? ['wind'] : [],
          author_id: fixture.profile.ann,
          import_id: row.name === 'moor' ? null : id,
        },
      })),
    )
    const avatar = `${content.nia}/imported`
    await database.query('update public.profiles set avatar = $1 where id = $2', [avatar, content.nia])
    await send(fixture.lobby, 'Set the :sail::wind: and reef:')
    const react = (on: boolean) =>
      fixture.committedAs('bea', (s) =>
        s.call('react', { message: fixture.messages.fresh, emoji: ':dock:', on }),
      )
    await react(true)
    // Messages of the import do not count.
    await database.query(`update public.messages set body = ':reef: :moor:' where id = $1`, [
      content.messages[0],
    ])
    const emojiVersion = async () =>
      (
        await database.query<{ emoji_version: number }>(
          'select emoji_version from public.workspaces where id = $1',
          [fixture.workspace],
        )
      ).rows[0]!.emoji_version
    const before = await emojiVersion()
    await undo(id)
    await runJob()
    const { rows } = await database.query<{ name: string }>(
      'select name from public.custom_emoji where id = any ($1) order by name',
      [emoji.map((one) => one.id)],
    )
    expect(rows.map(({ name }) => name)).toEqual(['dock', 'kite', 'moor', 'sail'])
    expect(await emojiVersion()).not.toBe(before)
    const { rows: queued } = await database.query<{ name: string }>(
      `select name from public.file_deletion_queue where bucket_id = 'avatars'`,
    )
    expect(queued).toEqual(
      expect.arrayContaining([{ name: avatar }, { name: `${fixture.workspace}/${emoji[1]!.id}` }]),
    )
    await completeUndo()
    await react(false)
    await database.query('delete from public.custom_emoji where id = any ($1)', [emoji.map((one) => one.id)])
  })

  it('a repeated undo changes nothing', async () => {
    const id = await runImport(createExport())
    const first = await undo(id)
    expect(await undo(id)).toEqual(first)
    expect((await audit('import.undone')).filter(({ target }) => target['import_id'] === id)).toHaveLength(1)
    await completeUndo()
    expect(await undo(id)).toMatchObject({ id, undone_at: first.undone_at })
  })

  it('messages that people have written since are counted, and the undo deletes them only if the owner accepts', async () => {
    const content = createExport()
    const id = await runImport(content)
    await send(content.board)
    await send(content.council)
    expect(await fixture.rolledBackAs('ann', (s) => s.call('preview_undo', { import: id }))).toEqual({
      channels: 3,
      messages: 5,
      later_messages: 2,
      later_people: 1,
      bytes: 0,
      people: 1,
    })
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('undo_import', { import: id, accepted_messages: 1 }),
      ),
    ).toBe('conflict')
    await undo(id, 2)
    expect((await find(id))?.channels).toBe(0)
    await completeUndo()
  })

  it('an imported person who has written elsewhere stays', async () => {
    const content = createExport()
    const id = await runImport(content)
    await database.query(`update public.messages set author_id = $1 where id = $2`, [
      content.nia,
      fixture.messages.fresh,
    ])
    await undo(id)
    await completeUndo()
    expect(await exists('profiles', 'id', content.nia)).toBe(true)
  })

  it('an import cannot be undone after 30 days, or while an import is running', async () => {
    const content = createExport()
    const id = await runImport(content)
    const other = new Client(fixture.database.config('postgres'))
    await other.connect()
    await other.query(`select pg_advisory_lock(hashtextextended('import/' || $1, 0))`, [fixture.workspace])
    expect(await fixture.rolledBackAs('ann', (s) => s.failure('undo_import', { import: id }))).toBe(
      'conflict',
    )
    await other.end()
    await database.query(`update public.imports set finished_at = now() - interval '31 days' where id = $1`, [
      id,
    ])
    expect(await fixture.rolledBackAs('ann', (s) => s.failure('undo_import', { import: id }))).toBe(
      'not_allowed',
    )
  })

  it('the undo leaves channels of another workspace that name the import', async () => {
    const id = await runImport(createExport())
    const { rows: others } = await database.query<{ id: Uuid }>(
      `insert into public.workspaces (name) values ('Quay') returning id`,
    )
    await database.query(
      `insert into public.channels (id, workspace_id, kind, name, import_id) values ($1, $2, 'public', 'Ours', $3)`,
      [randomUUID(), others[0]!.id, id],
    )
    const { rows: before } = await database.query(
      'select id from public.channels where workspace_id <> $1 order by id',
      [fixture.workspace],
    )
    expect(before.length).toBeGreaterThan(0)
    await undo(id)
    await completeUndo()
    const { rows: after } = await database.query(
      'select id from public.channels where workspace_id <> $1 and deleted_at is null order by id',
      [fixture.workspace],
    )
    expect(after).toEqual(before)
  })

  describe('claims of imported people', () => {
    const address = async (name: 'bea' | 'ann' | 'cem', email: string) => {
      await database.query(`update auth.users set email = $2, email_confirmed_at = now() where id = $1`, [
        fixture.account[name],
        email,
      ])
    }
    const claim = (imported: Uuid, member: Uuid) =>
      fixture.committedAs('ann', (s) => s.call('claim_imported_person', { imported, member }))
    const runMerge = () => database.query('call app.merge_claimed_people()')
    const authorOf = async (message: Uuid) =>
      (
        await database.query<{ author_id: Uuid }>('select author_id from public.messages where id = $1', [
          message,
        ])
      ).rows[0]!.author_id

    it('a member who has confirmed the address of an export is suggested to owners and admins', async () => {
      const content = createExport()
      await runImport(content)
      const find = async () =>
        (
          await fixture.rolledBackAs('ann', (s) =>
            s.call('list_imported_people', { workspace: fixture.workspace }),
          )
        ).suggested.find(({ profile_id: id }) => id === content.nia)
      expect(await find()).toBeUndefined()
      await address('cem', 'nia@harbour.example')
      expect(await find()).toEqual({
        profile_id: content.nia,
        name: 'Nia',
        title: null,
        email: 'nia@harbour.example',
        claimed_by: null,
        is_merged: false,
        suggested_id: fixture.profile.cem,
      })
      await database.query('update auth.users set email_confirmed_at = null where id = $1', [
        fixture.account.cem,
      ])
      expect(await find()).toBeUndefined()
      const search = (query: string) =>
        fixture.rolledBackAs('ann', (s) =>
          s.call('list_imported_people', { workspace: fixture.workspace, query, limit: 100 }),
        )
      expect((await search('NIA@harbour')).people.map((one) => one.profile_id)).toContain(content.nia)
      expect((await search('nobody')).people).toEqual([])
      await database.query('update auth.users set email_confirmed_at = now() where id = $1', [
        fixture.account.cem,
      ])
    })

    it('only owners claim people, and only admins and owners list them', async () => {
      const content = createExport()
      await runImport(content)
      const args = { imported: content.nia, member: fixture.profile.cem }
      for (const [who, error] of [
        ['bea', 'not_allowed'],
        ['gus', 'not_allowed'],
        ['omar', 'not_found'],
        ['zoe', 'not_found'],
      ] as const) {
        const results = await fixture.rolledBackAs(who, async (s) => [
          await s.failure('list_imported_people', { workspace: fixture.workspace }),
          await s.failure('preview_claim', args),
          await s.failure('claim_imported_person', args),
        ])
        expect([who, ...results]).toEqual([who, error, error, error])
      }
      const refused = (member: Uuid) =>
        fixture.rolledBackAs('ann', (s) =>
          s.failure('claim_imported_person', { imported: content.nia, member }),
        )
      expect(await refused(fixture.profile.omar)).toBe('not_found')
      expect(await refused(fixture.profile.dee)).toBe('not_found')
      expect(await refused(content.nia)).toBe('not_found')
    })

    it('an owner cannot read the conversations of others by a claim for themselves', async () => {
      const content = createExport()
      await runImport(content)
      const args = { imported: content.nia, member: fixture.profile.ann }
      const refusal = () => fixture.rolledBackAs('ann', (s) => s.failure('claim_imported_person', args))
      expect(await refusal()).toBe('not_allowed')
      await address('cem', 'cem@harbour.example')
      await address('ann', 'nia@harbour.example')
      await fixture.rolledBackAs('ann', (s) => s.call('claim_imported_person', args))
      await address('ann', 'ann@harbour.example')
    })

    it('the confirmation names the channels and conversations that the member cannot read yet', async () => {
      const content = createExport()
      await runImport(content)
      const preview = await fixture.rolledBackAs('ann', (s) =>
        s.call('preview_claim', { imported: content.nia, member: fixture.profile.cem }),
      )
      expect(preview).toEqual({
        has_same_address: false,
        messages: 2,
        gained_count: 2,
        gained: [
          { id: content.council, kind: 'private', name: 'council', people: null },
          { id: content.talk, kind: 'direct', name: null, people: ['bea Example'] },
        ],
      })
    })

    it('the member gets memberships at once, and a job changes messages, mentions, reactions and the search', async () => {
      const content = createExport()
      const id = await runImport(content)
      const { nia, board, talk } = content
      const { cem, bea } = fixture.profile
      const [root, reply] = [randomUUID(), randomUUID()]
      await fixture.committedAs('bea', async (s) => {
        await s.call('send_message', { id: root, channel: board, body: `Ask <@${nia}>` })
        await s.call('send_message', { id: reply, channel: board, body: 'Done', thread_root: root })
      })
      await database.query('update public.messages set author_id = $1 where id = $2', [nia, reply])
      await database.query('update public.messages set reply_people = $1 where id = $2', [[nia, bea], root])
      await database.query(
        `insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq)
         select id, channel_id, 'person', $1, author_id, seq from public.messages where id = $2
         on conflict do nothing`,
        [nia, root],
      )
      await database.query(
        `insert into public.reactions (message_id, emoji, profile_id) values ($1, '👍', $2), ($1, '👍', $3), ($1, '🎉', $2)`,
        [root, nia, cem],
      )
      const events = await collectBroadcasts(fixture, 'ann', (s) =>
        s.call('claim_imported_person', { imported: nia, member: cem }),
      )
      expect(
        events.filter(({ topic, event }) => topic === userTopic(cem) && event === 'membership').length,
      ).toBeGreaterThan(1)
      expect(
        await fixture.rolledBackAs('cem', (s) =>
          s.value('select direct_key from public.channels where id = $1', [talk]),
        ),
      ).toBe([bea, cem].toSorted().join(':'))
      const before = await database.query<{ count: string }>(
        `select count(*) from realtime.messages where event in ('message', 'activity')`,
      )
      await runMerge()
      const after = await database.query(
        `select count(*) from realtime.messages where event in ('message', 'activity')`,
      )
      expect(after.rows).toEqual(before.rows)
      expect(await authorOf(content.messages[0]!)).toBe(cem)
      expect(await authorOf(reply)).toBe(cem)
      const changed = await fixture.rolledBackAs('bea', (s) => s.call('messages_by_ids', { ids: [root] }))
      expect(changed.messages[0]).toMatchObject({
        body: `Ask <@${cem}>`,
        reply_people: [cem, bea],
        edited_at: null,
        reactions: [
          { emoji: '👍', count: 1, people: [cem] },
          { emoji: '🎉', count: 1, people: [cem] },
        ],
      })
      const { rows: mentioned } = await database.query(
        'select profile_id from public.mentions where message_id = $1',
        [root],
      )
      expect(mentioned).toEqual([{ profile_id: cem }])
      const { rows: found } = await database.query(
        `select from public.message_search where message_id = any ($1) and words @@ $2::tsquery`,
        [[content.messages[0], reply], `'=from:${cem}'`],
      )
      expect(found).toHaveLength(2)
      for (const [table, column] of [
        ['messages', 'author_id'],
        ['mentions', 'profile_id'],
        ['reactions', 'profile_id'],
        ['channel_members', 'profile_id'],
        ['workspace_members', 'profile_id'],
        ['channels', 'created_by'],
      ] as const)
        expect([table, await exists(table, column, nia)]).toEqual([table, false])
      expect((await audit('import.person_claimed'))[0]).toMatchObject({
        actor_id: fixture.profile.ann,
        target: { profile_id: cem, imported_id: nia },
      })
      // Everything counts as read.
      const { rows: state } = await database.query(
        `select s.last_read_seq = k.last_seq as is_read from public.channel_member_state s
         join public.channel_counters k using (channel_id) where s.channel_id = $1 and s.profile_id = $2`,
        [talk, cem],
      )
      expect(state).toEqual([{ is_read: true }])

      expect(await claim(nia, cem)).toMatchObject({ claimed_by: cem, is_merged: true })
      expect(
        await fixture.rolledBackAs('ann', (s) =>
          s.failure('claim_imported_person', { imported: nia, member: bea }),
        ),
      ).toBe('conflict')

      // A second import of the export gives what it writes to the member again.
      await write(rowsOf(content, id))
      await finishImport(database, id, {})
      await runMerge()
      expect(await exists('workspace_members', 'profile_id', nia)).toBe(false)
      expect(await exists('channel_members', 'profile_id', nia)).toBe(false)
      await fixture.committedAs('ann', (s) => s.call('undo_import', { import: id, accepted_messages: 10 }))
      await completeUndo()
      expect(await exists('profiles', 'id', cem)).toBe(true)
      expect(await exists('imported_people', 'profile_id', nia)).toBe(true)
    })

    it('a conversation becomes a private channel if the member has one with the same people', async () => {
      const content = createExport()
      await runImport(content)
      const { channel } = await fixture.committedAs('cem', (s) =>
        s.call('open_direct', { workspace: fixture.workspace, people: [fixture.profile.bea] }),
      )
      expect(channel.id).not.toBe(content.talk)
      await claim(content.nia, fixture.profile.cem)
      const { rows } = await database.query('select kind, direct_key from public.channels where id = $1', [
        content.talk,
      ])
      expect(rows).toEqual([{ kind: 'private', direct_key: null }])
      await runMerge()
    })

    it('many messages are changed in several transactions, with increasing revs', async () => {
      const content = createExport()
      await runImport(content)
      await database.query(
        `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
         select gen_random_uuid(), $1, n, n, n, $2, 'Again', now() from generate_series(10, 1300) n`,
        [content.board, content.nia],
      )
      await database.query(
        'update public.channel_counters set last_seq = 1300, rev = 1300 where channel_id = $1',
        [content.board],
      )
      await claim(content.nia, fixture.profile.cem)
      await runMerge()
      expect(await exists('messages', 'author_id', content.nia)).toBe(false)
      const { rows } = await database.query(
        `select count(distinct m.rev)::int as revs, max(m.rev) <= max(k.rev) as is_bounded
         from public.messages m join public.channel_counters k using (channel_id)
         where m.channel_id = $1 and m.author_id = $2 and m.rev > 1300`,
        [content.board, fixture.profile.cem],
      )
      expect(rows).toEqual([{ revs: 1293, is_bounded: true }])
    })
  })

  it('a workspace is deleted with its imports', async () => {
    await database.query(`insert into public.workspaces (name) values ('Pier')`)
    const { rows } = await database.query<{ id: Uuid }>(
      `select id from public.workspaces where name = 'Pier'`,
    )
    const workspace = rows[0]!.id
    const id = await beginImport(database, workspace, source)
    const person = randomUUID()
    await database.query(`insert into public.profiles (id, kind, name) values ($1, 'imported', 'Nia')`, [
      person,
    ])
    await database.query(
      'insert into public.imported_people (profile_id, workspace_id, import_id) values ($1, $2, $3)',
      [person, workspace, id],
    )
    await database.query(`update public.workspaces set deletes_at = now() where id = $1`, [workspace])
    await database.query('call app.delete_due_workspaces()')
    expect(await exists('imports', 'id', id)).toBe(false)
    expect(await exists('profiles', 'id', person)).toBe(false)
  })
})
