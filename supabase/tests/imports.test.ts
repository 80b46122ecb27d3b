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

    await runJob()
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
    await runJob()
    const { rows: after } = await database.query(
      'select id from public.channels where workspace_id <> $1 and deleted_at is null order by id',
      [fixture.workspace],
    )
    expect(after).toEqual(before)
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
