import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { makeZip } from 'client-zip'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPromise, type Entry } from 'yauzl'
import type { ArchiveRow } from '../../backend/optional/archive/ArchiveRow.ts'
import { openSnapshot } from '../../backend/optional/archive/exportRows.ts'
import { ArchiveError, type ProjectServices } from '../../backend/optional/archive/ImportRequest.ts'
import { importRows } from '../../backend/optional/archive/importRows.ts'
import { openArchive } from '../../backend/optional/archive/openArchive.ts'
import type { Receipt } from '../../backend/optional/archive/Receipt.ts'
import { writeArchive } from '../../backend/optional/archive/writeArchive.ts'
import { openFixture, type Fixture } from './support/fixture.ts'
import { testDatabases, type TestDatabase } from './support/testDatabases.ts'

/** Services that store objects as rows of the database, as the storage service does. */
function createServices(database: Client): ProjectServices {
  return {
    async storeObject(file) {
      const { rowCount } = await database.query(
        `insert into storage.objects (bucket_id, name, metadata) values ($1, $2, $3) on conflict do nothing`,
        [file.bucket, file.name, { size: file.size, mimetype: file.type }],
      )
      return rowCount === 1
    },
    async createAccount({ id, email }) {
      await database.query(
        `insert into auth.users (id, aud, role, email, email_confirmed_at, created_at)
         values ($1, 'authenticated', 'authenticated', $2, now(), now())`,
        [id, email],
      )
      return id
    },
  }
}

async function readLines(
  database: Client,
  workspaceId: string,
  withCredentials = false,
): Promise<Record<string, string[]>> {
  const snapshot = await openSnapshot(database, workspaceId, 'all', withCredentials)
  const lines: Record<string, string[]> = {}
  for (const table of snapshot.tables) {
    lines[table] = []
    for await (const line of snapshot.lines(table)) lines[table].push(line)
  }
  await snapshot.close()
  return lines
}

/** Columns that change because their secret is not in the archive. */
const changedWithoutCredentials: Record<string, string[]> = {
  outgoing_webhooks: ['disabled_at', 'problem'],
  invitations: ['revoked_at', 'mail_state'],
}

function withoutColumns(
  lines: Record<string, string[]>,
  columns: Record<string, string[]>,
): Record<string, unknown[]> {
  return Object.fromEntries(
    Object.entries(lines).map(([table, rows]) => [
      table,
      rows.map((line) =>
        Object.fromEntries(
          Object.entries(JSON.parse(line) as object).filter(([column]) => !columns[table]?.includes(column)),
        ),
      ),
    ]),
  )
}

interface Effects {
  events: number
  jobs: number
}

describe.each(testDatabases)('archives on $name', ({ open }) => {
  let fixture: Fixture
  let source: Client
  let target: TestDatabase
  let database: Client
  let folder: string
  let path: string
  const upload = randomUUID()
  let effectsBefore: Effects

  /** Without the end of a topic, which a member with a history start causes, and to which nobody subscribes yet. */
  const countEffects = async (): Promise<Effects> => {
    const { rows } = await database.query<Effects>(
      `select (select count(*)::int from realtime.messages where event <> 'epoch') as events,
         (select count(*)::int from public.jobs where kind not in ('index_file', 'remove_metadata', 'scheduled_message', 'reminder')) as jobs`,
    )
    return rows[0]!
  }

  beforeAll(async () => {
    fixture = await openFixture(await open())
    source = new Client(fixture.database.config('postgres'))
    await source.connect()
    const object = `${fixture.lobby}/${upload}/file`
    await fixture.service(
      (s) =>
        s.rows(
          `insert into storage.objects (bucket_id, name, owner_id, metadata) values ('files', $1, $2, $3)`,
          [object, fixture.account.bea, { size: 5, mimetype: 'text/plain' }],
        ),
      true,
    )
    await fixture.committedAs('bea', async (s) => {
      const { ann, cem } = fixture.profile
      await s.call('open_direct', { workspace: fixture.workspace, people: [ann, cem] })
      await s.call('save_draft', { id: randomUUID(), channel: fixture.lobby, body: 'Not yet' })
      const id = randomUUID()
      await s.call('send_message', {
        id,
        channel: fixture.lobby,
        body: 'The plan',
        attachments: [{ id: upload, name: 'plan.txt', width: null, height: null, thumb: false } as never],
      })
      await s.call('save_message', { message: id, state: 'saved' })
      await s.call('mark_read', { channel: fixture.lobby, seq: 1, read_version: 1 })
    })
    await addIntegrations()
    target = await open()
    database = new Client(target.config('postgres'))
    await database.connect()
    await database.query('delete from public.workspaces')
    await database.query('delete from public.profiles')
    await database.query('delete from auth.users')
    await database.query(`delete from public.settings where key = 'first_workspace'`)
    effectsBefore = await countEffects()
    folder = mkdtempSync(join(tmpdir(), 'linnet-archive-'))
    path = join(folder, 'harbour.zip')
    await writeArchive({
      database: source,
      workspaceId: fixture.workspace,
      scope: 'all',
      actorId: null,
      version: '0.0.0',
      path,
      readObject: async () => bytes('hello'),
    })
  })
  afterAll(async () => {
    await source?.end()
    await database?.end()
    await target?.stop()
    await fixture?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const bot = randomUUID()
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()

  /** A bot with a token, webhooks and a command; invitations; what waits for a time; receipts of retention; a second factor. */
  const addIntegrations = async (): Promise<void> => {
    const { workspace, lobby } = fixture
    await fixture.committedAs('ann', async (s) => {
      await s.call('create_bot', { id: bot, workspace, name: 'Porter', channels: [lobby] })
      await s.call('create_bot_token', { bot, days: 30 })
      await s.call('create_incoming_webhook', { bot, channel: lobby })
      await s.call('create_outgoing_webhook', { bot, channel: lobby, url: 'https://hooks.example.org/in' })
      const url = 'https://hooks.example.org/command'
      await s.call('create_bot_command', { bot, name: 'tide', description: 'The next tide', url })
      await s.call('create_invitation', { workspace, role: 'guest', channels: [lobby], access_days: 30 })
      await s.call('invite_by_mail', { workspace, role: 'member', channels: [], emails: ['kim@example.org'] })
    })
    await fixture.committedAs('bea', async (s) => {
      const at = { send_at: inAnHour, body: 'Good morning' }
      await s.call('schedule_message', { id: randomUUID(), channel: lobby, ...at })
      const due = { workspace, due_at: inAnHour, time_zone: 'Europe/Berlin' }
      await s.call('set_reminder', { id: randomUUID(), ...due, text: 'Once' })
      await s.call('set_reminder', { id: randomUUID(), ...due, text: 'Daily', repeats: 'daily' })
    })
    await source.query('insert into public.retention_chains (workspace_id) values ($1)', [workspace])
    await source.query(
      `insert into public.retention_receipts (workspace_id, channel_id, from_seq, until_seq, messages, files, bytes, sent_before, scope, keep_days)
       select $1, $2, n, n, 1, 0, 0, now(), 'channel', 30 from generate_series(1, 3) n`,
      [workspace, lobby],
    )
    await source.query(
      `update auth.users set encrypted_password = extensions.crypt('old password', extensions.gen_salt('bf', 4)) where id = $1`,
      [fixture.account.cem],
    )
    await source.query(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
       values (gen_random_uuid(), $1, 'Phone', 'totp', 'verified', now(), now(), 'JBSWY3DPEHPK3PXP')`,
      [fixture.account.cem],
    )
    await source.query(
      `insert into public.recovery_codes (user_id, code_hash) values ($1, app.hash_recovery_code($1, 'ab12'))`,
      [fixture.account.cem],
    )
  }

  /** Removes everything that an import has created. */
  const clearTarget = async (): Promise<void> => {
    await database.query('delete from public.workspaces')
    await database.query('delete from public.profiles')
    await database.query('delete from auth.users')
    await database.query('delete from vault.secrets where name like any ($1)', [
      ['outgoing webhook %', 'bot commands %'],
    ])
  }

  async function* bytes(text: string): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(text)
  }

  const connect = async (): Promise<Client> => {
    const client = new Client(target.config('postgres'))
    await client.connect()
    return client
  }

  const importArchive = async (): Promise<Receipt> => {
    const archive = await openArchive(path)
    try {
      return await importRows({
        database,
        connect,
        services: createServices(database),
        workspaceId: archive.manifest.workspace.id,
        rows: archive.rows(),
        files: archive.files(),
      })
    } finally {
      archive.close()
    }
  }

  it('an archive lists its entries with their checksums', async () => {
    const archive = await openArchive(path)
    expect(archive.manifest.workspace).toEqual({ id: fixture.workspace, name: 'Harbour Street' })
    const messages = archive.manifest.tables.find(({ table }) => table === 'messages')
    expect(messages?.rows).toBeGreaterThan(5)
    expect(archive.manifest.files).toEqual([
      {
        bucket: 'files',
        name: `${fixture.lobby}/${upload}/file`,
        type: 'text/plain',
        path: `files/files/${fixture.lobby}/${upload}/file/plan.txt`,
        bytes: 5,
        sha256: createHash('sha256').update('hello').digest('hex'),
      },
    ])
    archive.close()
  })

  it('an import into an empty server has the rows of the original, and a second one changes nothing', async () => {
    const before = await readLines(source, fixture.workspace)
    const receipt = await importArchive()
    const after = await readLines(database, fixture.workspace)
    expect(withoutColumns(after, changedWithoutCredentials)).toEqual(
      withoutColumns(before, changedWithoutCredentials),
    )
    for (const table of ['bots', 'invitations', 'retention_receipts', 'scheduled_messages', 'reminders'])
      expect(before[table]!.length).toBeGreaterThan(0)
    expect(receipt.tables['messages']).toEqual({
      read: before['messages']!.length,
      written: before['messages']!.length,
      present: 0,
      skipped: {},
    })
    expect(receipt.files['files']).toMatchObject({ read: 1, written: 1 })
    const again = await importArchive()
    expect(Object.values(again.tables).reduce((sum, { written }) => sum + written, 0)).toBe(0)
    expect(again.files['files']).toMatchObject({ written: 0, present: 1 })
    expect(await readLines(database, fixture.workspace)).toEqual(after)
  })

  it('an import completes the search and the counters, and sends only one event, so that open pages fetch the changes', async () => {
    const search = `select message_id, words::text as words, history_seq from public.message_search s
      join public.channels c on c.id = s.channel_id where c.workspace_id = $1 order by message_id`
    const { rows } = await database.query(search, [fixture.workspace])
    expect(rows.length).toBeGreaterThan(5)
    expect(rows).toEqual((await source.query(search, [fixture.workspace])).rows)
    const { events, jobs } = effectsBefore
    // Two imports have ended.
    expect(await countEffects()).toEqual({ events: events + 2, jobs })
    const { rows: storage } = await database.query('select used_bytes::int from public.workspace_storage')
    expect(storage).toEqual([{ used_bytes: 5 }])
    const { rows: waiting } = await database.query(
      `select kind, run_at <= now() as is_due from public.jobs where kind in ('index_file', 'remove_metadata') order by kind`,
    )
    expect(waiting).toEqual([
      { kind: 'index_file', is_due: true },
      { kind: 'remove_metadata', is_due: true },
    ])
  })

  it('an import collects terms of the search, unless the index is in use, until the last import ends', async () => {
    const other = await connect()
    const use = async (isUsed: boolean): Promise<boolean> =>
      (await database.query<{ done: boolean }>('select app.use_pending_list($1) as done', [isUsed])).rows[0]!
        .done
    const options = async (): Promise<unknown> =>
      (
        await database.query<{ options: unknown }>(
          `select reloptions as options from pg_class where oid = 'public.message_search_terms'::regclass`,
        )
      ).rows[0]!.options
    try {
      // The imports of the tests before have ended the list.
      expect(await options()).toEqual(['fastupdate=off'])
      await other.query('begin')
      await other.query('select count(*) from public.message_search')
      expect(await use(true)).toBe(false)
      await other.query('commit')
      await other.query(`select pg_advisory_lock_shared(hashtextextended('pending search terms', 0))`)
      expect(await use(true)).toBe(true)
      expect(await options()).toEqual(['fastupdate=on', 'gin_pending_list_limit=65536'])
      expect(await use(false)).toBe(false)
      await other.query('select pg_advisory_unlock_all()')
      expect(await use(false)).toBe(true)
      expect(await options()).toEqual(['fastupdate=off'])
    } finally {
      await other.end()
    }
  })

  it('sessions of clients cannot make the database believe that an import runs', async () => {
    const isImporting = async (role: 'postgres' | 'supabase_admin'): Promise<boolean> => {
      const client = new Client(target.config(role))
      await client.connect()
      try {
        await client.query(`select set_config('linnet.is_importing', 'true', false)`)
        const { rows } = await client.query<{ found: boolean }>('select app.is_importing() as found')
        return rows[0]!.found
      } finally {
        await client.end()
      }
    }
    expect(await isImporting('postgres')).toBe(true)
    expect(await isImporting('supabase_admin')).toBe(false)
  })

  it('an archive without credentials has no secrets, and integrations need new ones', async () => {
    const content = JSON.stringify(await readLines(source, fixture.workspace))
    expect(content).not.toMatch(/token_hash|encrypted_password|whsec_|JBSWY3DPEHPK3PXP/)
    const { rows } = await database.query(
      `select (select array_agg(mail_state) from public.invitations where revoked_at is null and mail_state is not null) as mails,
         (select count(*)::int from public.invitations
          where revoked_at is null and mail_state is null and uses < max_uses) as links,
         (select count(*)::int from public.outgoing_webhooks where disabled_at is null) as enabled,
         (select count(*)::int from auth.mfa_factors) as factors`,
    )
    expect(rows).toEqual([{ mails: ['failed'], links: 0, enabled: 0, factors: 0 }])
    const archive = await openArchive(path)
    archive.close()
    expect(archive.manifest.credentials).toBeUndefined()
    expect(archive.manifest.leftBehind).toContainEqual(
      expect.objectContaining({ what: 'links of open invitations', count: expect.any(Number) as number }),
    )
  })

  it('scheduled messages and reminders whose time is to come have a job again', async () => {
    const { rows } = await database.query(
      `select kind, count(*)::int, bool_and(run_at = $1) as is_then from public.jobs
       where kind in ('scheduled_message', 'reminder') group by 1 order by 1`,
      [inAnHour],
    )
    expect(rows).toEqual([
      { kind: 'reminder', count: 2, is_then: true },
      { kind: 'scheduled_message', count: 1, is_then: true },
    ])
  })

  it('a scheduled message whose time has passed is not sent, and a repeated reminder waits for its next time', async () => {
    await clearTarget()
    const archive = await openArchive(path)
    const yesterday = new Date(Date.parse(inAnHour) - 86_400_000).toISOString()
    await importRows({
      database,
      services: createServices(database),
      workspaceId: fixture.workspace,
      rows: (async function* () {
        for await (const { table, row } of archive.rows())
          yield {
            table,
            row: {
              ...row,
              ...(table === 'scheduled_messages' && { send_at: yesterday }),
              ...(table === 'reminders' && { due_at: yesterday, starts_at: yesterday }),
            },
          }
      })(),
      files: archive.files(),
    })
    archive.close()
    const { rows } = await database.query(
      `select null as text, problem, job_id is not null as waits, send_at < now() as is_past from public.scheduled_messages
       union all select text, null, job_id is not null, due_at < now() from public.reminders order by text nulls first`,
    )
    expect(rows).toEqual([
      { text: null, problem: 'scheduled_in_the_past', waits: false, is_past: true },
      { text: 'Daily', problem: null, waits: true, is_past: false },
      { text: 'Once', problem: null, waits: false, is_past: true },
    ])
    await clearTarget()
    await importArchive()
  })

  it('a receipt of retention that was changed in the archive is refused', async () => {
    await clearTarget()
    const archive = await openArchive(path)
    const changed = importRows({
      database,
      services: createServices(database),
      workspaceId: fixture.workspace,
      rows: (async function* () {
        for await (const { table, row } of archive.rows())
          yield { table, row: table === 'retention_receipts' ? { ...row, messages: 7 } : row }
      })(),
      files: archive.files(),
    })
    await expect(changed).rejects.toThrow('does not have the hash that it states')
    archive.close()
    await importArchive()
  })

  it('an interrupted import continues', async () => {
    const before = await readLines(source, fixture.workspace)
    await database.query('delete from public.workspaces')
    await database.query('delete from public.profiles')
    const archive = await openArchive(path)
    const client = new Client(target.config('postgres'))
    client.on('error', () => {})
    await client.connect()
    const { rows: backends } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    async function* interrupted(): AsyncGenerator<ArchiveRow> {
      for await (const row of archive.rows()) {
        if (row.table === 'pins') await client.end()
        yield row
      }
    }
    const request = {
      services: createServices(database),
      workspaceId: fixture.workspace,
      files: archive.files(),
      rowsPerBatch: 5,
    }
    await expect(importRows({ ...request, database: client, rows: interrupted() })).rejects.toThrow(
      /closed|end|terminated/,
    )
    archive.close()
    // The server can commit a transaction after its client has disconnected.
    const findBackend = () =>
      database.query('select from pg_stat_activity where pid = $1', [backends[0]!.pid])
    await expect.poll(async () => (await findBackend()).rowCount).toBe(0)
    const { rows } = await database.query('select from public.messages')
    expect(rows.length).toBeGreaterThan(0)
    const receipt = await importArchive()
    expect(receipt.tables['messages']!.present).toBe(rows.length)
    expect(withoutColumns(await readLines(database, fixture.workspace), changedWithoutCredentials)).toEqual(
      withoutColumns(before, changedWithoutCredentials),
    )
  })

  it('a conversation gets a new key if a member already has another profile on the server', async () => {
    await database.query('delete from public.workspaces')
    await database.query('delete from public.profiles')
    const { rows: created } = await database.query<{ id: string }>(
      `insert into public.profiles (user_id, kind, name)
       select u.id, 'person', 'Beatrice' from auth.users u where u.id = $1 returning id`,
      [fixture.account.bea],
    )
    await importArchive()
    const { rows } = await database.query(
      `select c.kind, c.direct_key = app.direct_key(array_agg(m.profile_id)) as is_right,
         $1::uuid = any (array_agg(m.profile_id)) as has_other
       from public.channels c join public.channel_members m on m.channel_id = c.id
       where c.kind in ('direct', 'group') group by c.id order by c.kind`,
      [created[0]!.id],
    )
    expect(rows).toEqual([
      { kind: 'direct', is_right: true, has_other: true },
      { kind: 'group', is_right: true, has_other: true },
    ])
  })

  describe('a merge', () => {
    const merge = async (
      change: (row: ArchiveRow) => ArchiveRow,
      plannedFiles: { name: string; bytes: number }[] = [],
    ): Promise<Receipt> => {
      const archive = await openArchive(path)
      try {
        return await importRows({
          database,
          services: createServices(database),
          workspaceId: fixture.workspace,
          rows: (async function* () {
            for await (const row of archive.rows()) yield change(row)
          })(),
          files: archive.files(),
          plannedFiles,
          isAtomic: true,
          rowsPerBatch: 20,
        })
      } finally {
        archive.close()
      }
    }

    beforeAll(async () => {
      await database.query('delete from public.workspaces')
      await database.query('delete from public.profiles')
      await importArchive()
      await database.query('delete from public.messages where channel_id = $1', [fixture.closed])
    })

    it('a merge that is refused in its last rows leaves the workspace as it was', async () => {
      const before = await readLines(database, fixture.workspace)
      const refused = merge((row) =>
        row.table === 'workspace_members' ? { ...row, row: { ...row.row, role: 'king' } } : row,
      )
      await expect(refused).rejects.toThrow(ArchiveError)
      expect(await readLines(database, fixture.workspace)).toEqual(before)
    })

    /** Without an entry of the audit log. */
    const setQuota = (max: string) =>
      database.query(`begin; select set_config('linnet.is_importing', 'true', true);
        update public.workspace_storage set max_bytes = ${max}; commit`)

    it('a merge whose files exceed the storage quota is refused before it writes', async () => {
      const before = await readLines(database, fixture.workspace)
      await setQuota('1000000')
      const refused = merge((row) => row, [{ name: 'another', bytes: 2_000_000 }])
      await expect(refused).rejects.toThrow(
        'The new files need 2.0 MB, and the workspace uses 0.0 MB of its 1.0 MB.',
      )
      await setQuota('default')
      expect(await readLines(database, fixture.workspace)).toEqual(before)
    })

    it('a merge adds what is missing', async () => {
      const receipt = await merge((row) => row)
      expect(receipt.tables['messages']!.written).toBeGreaterThan(0)
      expect(withoutColumns(await readLines(database, fixture.workspace), changedWithoutCredentials)).toEqual(
        withoutColumns(await readLines(source, fixture.workspace), changedWithoutCredentials),
      )
    })
  })

  it('an import that continues and is refused removes the workspace that it has created', async () => {
    const archive = await openArchive(path)
    const request = {
      database,
      services: createServices(database),
      workspaceId: fixture.workspace,
      rowsPerBatch: 20,
    }
    await database.query('delete from public.workspaces')
    await database.query('delete from public.profiles')
    async function* rows(table: string, change: () => ArchiveRow): AsyncGenerator<ArchiveRow> {
      for await (const row of archive.rows()) yield row.table === table ? change() : row
    }
    const stopped = rows('thread_members', () => {
      throw new Error('The connection has ended.')
    })
    await expect(importRows({ ...request, rows: stopped, files: archive.files() })).rejects.toThrow(
      'has ended',
    )
    const refused = rows('drafts', () => ({ table: 'drafts', row: { unknown: 1 } }))
    await expect(
      importRows({ ...request, rows: refused, files: archive.files(), isContinued: true }),
    ).rejects.toThrow(ArchiveError)
    archive.close()
    const { rows: left } = await database.query(
      'select from public.workspaces union all select from public.profiles',
    )
    expect(left).toEqual([])
  })

  it('with credentials people and bots sign in as before, and links and webhooks work', async () => {
    const withCredentials = join(folder, 'credentials.zip')
    await writeArchive({
      database: source,
      workspaceId: fixture.workspace,
      scope: 'all',
      actorId: null,
      withCredentials: true,
      version: '0.0.0',
      path: withCredentials,
      readObject: async () => bytes('hello'),
    })
    expect(statSync(withCredentials).mode & 0o777).toBe(0o600)
    const archive = await openArchive(withCredentials)
    expect(archive.manifest.credentials).toBe(true)
    const request = { database, services: createServices(database), workspaceId: fixture.workspace }
    await clearTarget()
    await importRows({ ...request, rows: archive.rows(), files: archive.files() })
    const { rows: unused } = await database.query('select from auth.mfa_factors')
    expect(unused).toEqual([])
    await clearTarget()
    // This person has an account already: it keeps its sign-in methods.
    const ownHash = '$2a$04$abcdefghijklmnopqrstuu'
    const { rows: emails } = await source.query('select email from auth.users where id = $1', [
      fixture.account.bea,
    ])
    await database.query(
      `insert into auth.users (id, aud, role, email, email_confirmed_at, encrypted_password)
       values (gen_random_uuid(), 'authenticated', 'authenticated', $1, now(), $2)`,
      [emails[0]!.email, ownHash],
    )
    await importRows({ ...request, rows: archive.rows(), files: archive.files(), withCredentials: true })
    archive.close()
    const query = `select encrypted_password from auth.users where email = $1`
    expect((await database.query(query, [emails[0]!.email])).rows).toEqual([{ encrypted_password: ownHash }])
    // A mail of an invitation that waits is not sent by this server.
    const columns = { accounts: ['id', 'credentials'], invitations: ['mail_state'] }
    const before = await readLines(source, fixture.workspace, true)
    const after = await readLines(database, fixture.workspace, true)
    expect(withoutColumns(after, columns)).toEqual(withoutColumns(before, columns))
    const own = (lines: string[]): string[] =>
      lines.filter((line) => !line.includes(emails[0]!.email as string))
    expect(own(after['accounts']!)).toEqual(own(before['accounts']!))
    expect(after['integration_secrets']!.length).toBe(2)
    const signIn = await database.query(
      `select u.encrypted_password = extensions.crypt('old password', u.encrypted_password) as is_right,
         (select count(*)::int from auth.mfa_factors f where f.user_id = u.id and f.secret = 'JBSWY3DPEHPK3PXP') as factors,
         (select bool_and(c.code_hash = app.hash_recovery_code(u.id, 'ab12')) from public.recovery_codes c
          where c.user_id = u.id) as has_code
       from auth.users u where u.id = $1`,
      [fixture.account.cem],
    )
    expect(signIn.rows).toMatchObject([{ is_right: true, factors: 1, has_code: true }])
    await clearTarget()
    await importArchive()
  })

  describe('an export for owners', () => {
    /** The rows of an export that Ann requests, by table. */
    const exportForOwners = async (): Promise<{ path: string; rows: Map<string, ArchiveRow['row'][]> }> => {
      const path = join(folder, `${randomUUID()}.zip`)
      await writeArchive({
        database: source,
        workspaceId: fixture.workspace,
        scope: 'owner',
        actorId: fixture.profile.ann,
        version: '0.0.0',
        path,
        readObject: async () => bytes('hello'),
      })
      const archive = await openArchive(path)
      const rows = new Map<string, ArchiveRow['row'][]>()
      for await (const { table, row } of archive.rows()) rows.set(table, [...(rows.get(table) ?? []), row])
      archive.close()
      return { path, rows }
    }
    const messageIds = (rows: Map<string, ArchiveRow['row'][]>): unknown[] =>
      rows.get('messages')!.map(({ id }) => id)

    it('an export for owners has no private conversations and no rows of one person', async () => {
      await fixture.committedAs('bea', (s) =>
        s.call('save_message', { message: fixture.messages.secret, state: 'saved' }),
      )
      const { rows } = await exportForOwners()
      expect(messageIds(rows)).toContain(fixture.messages.old)
      expect(messageIds(rows)).not.toContain(fixture.messages.secret)
      const channels = new Set(rows.get('channels')!.map(({ kind }) => kind))
      expect(channels).toEqual(new Set(['public']))
      const personal = ['saved_messages', 'channel_member_state', 'drafts', 'reports']
      expect(personal.filter((table) => rows.has(table))).toEqual([])
    })

    it('only an owner lets owners export private conversations, a day after all members can see it', async () => {
      const set = { workspace: fixture.workspace, allowed: true }
      for (const [who, failure] of [
        ['bea', 'not_allowed'],
        ['gus', 'not_allowed'],
        ['omar', 'not_found'],
      ] as const)
        expect(await fixture.rolledBackAs(who, (s) => s.failure('set_private_export', set))).toBe(failure)
      await fixture.committedAs('ann', (s) => s.call('set_private_export', set))
      const seen = await fixture.rolledBackAs('gus', (s) =>
        s.rows(
          `select allows_private_export, private_export_from > now() + interval '23 hours' as is_later
           from public.workspaces`,
        ),
      )
      expect(seen).toContainEqual({ allows_private_export: true, is_later: true })
      expect(messageIds((await exportForOwners()).rows)).not.toContain(fixture.messages.secret)
      // Allowing it again does not change the time.
      await fixture.committedAs('ann', (s) => s.call('set_private_export', set))
      await source.query(
        `update public.workspaces set private_export_from = private_export_from - interval '1 day'`,
      )
      const { rows } = await exportForOwners()
      expect(messageIds(rows)).toContain(fixture.messages.secret)
      expect(rows.has('saved_messages')).toBe(false)
      const { rows: entries } = await source.query(
        `select action, actor_id, target from public.audit_log
         where action in ('workspace.exported', 'workspace.options_changed') order by recorded_at`,
      )
      const exported = { action: 'workspace.exported', actor_id: fixture.profile.ann }
      expect(entries).toEqual([
        { action: 'workspace.exported', actor_id: null, target: { scope: 'all', with_private: true } },
        {
          action: 'workspace.exported',
          actor_id: null,
          target: { scope: 'all', with_private: true, with_credentials: true },
        },
        { ...exported, target: { scope: 'owner', with_private: false } },
        {
          action: 'workspace.options_changed',
          actor_id: fixture.profile.ann,
          target: { allows_private_export: { from: false, to: true } },
        },
        { ...exported, target: { scope: 'owner', with_private: false } },
        { ...exported, target: { scope: 'owner', with_private: true } },
      ])
      await fixture.committedAs('ann', (s) => s.call('set_private_export', { ...set, allowed: false }))
    })

    it('an export for owners can be imported', async () => {
      const { path, rows } = await exportForOwners()
      await database.query('delete from public.workspaces')
      await database.query('delete from public.profiles')
      const archive = await openArchive(path)
      const receipt = await importRows({
        database,
        services: createServices(database),
        workspaceId: fixture.workspace,
        rows: archive.rows(),
        files: archive.files(),
      })
      archive.close()
      expect(receipt.tables['messages']).toMatchObject({ written: rows.get('messages')!.length })
    })
  })

  describe('rows that belong to another workspace', () => {
    const workspaceId = randomUUID()
    const author = randomUUID()
    const channel = randomUUID()
    const now = '2026-01-01T00:00:00Z'
    const rows = (changed: Record<string, Record<string, unknown>> = {}): ArchiveRow[] => [
      { table: 'profiles', row: { id: author, kind: 'imported', name: 'Nia', ...changed['profiles'] } },
      {
        table: 'workspaces',
        row: { id: workspaceId, name: 'Copy', created_at: now, ...changed['workspaces'] },
      },
      {
        table: 'channels',
        row: { id: channel, workspace_id: workspaceId, kind: 'public', name: 'main', ...changed['channels'] },
      },
      {
        table: 'messages',
        row: {
          id: author,
          channel_id: channel,
          seq: 1,
          history_seq: 1,
          rev: 1,
          author_id: author,
          body: 'Hello',
          created_at: now,
          ...changed['messages'],
        },
      },
    ]
    const importInto = (given: ArchiveRow[]): Promise<Receipt> =>
      importRows({
        database: source,
        services: createServices(source),
        workspaceId,
        rows: (async function* () {
          yield* given
        })(),
        files: (async function* (): AsyncGenerator<never> {})(),
        rowsPerBatch: 2,
      })
    const countCopies = async (): Promise<number> =>
      (await source.query('select from public.workspaces where id = $1', [workspaceId])).rows.length

    it.each<[string, () => Record<string, Record<string, unknown>>]>([
      [
        'a message in a channel of another workspace',
        () => ({ messages: { channel_id: fixture.lobby, seq: 9_999, history_seq: 9_999, rev: 9_999 } }),
      ],
      [
        'a message of a person of another workspace',
        () => ({ messages: { author_id: fixture.profile.bea } }),
      ],
      ['the id of a message of another workspace', () => ({ messages: { id: fixture.messages.secret } })],
      ['the id of a channel of another workspace', () => ({ channels: { id: fixture.closed } })],
      ['the id of a person of another workspace', () => ({ profiles: { id: fixture.profile.bea } })],
      ['a channel in another workspace', () => ({ channels: { workspace_id: fixture.workspace } })],
      ['a text that is too long', () => ({ messages: { body: 'x'.repeat(20_001) } })],
      ['an unknown column', () => ({ messages: { secret: 1 } })],
    ])('an import refuses %s, and leaves nothing', async (_, changed) => {
      const before = await readLines(source, fixture.workspace)
      await expect(importInto(rows(changed()))).rejects.toThrow(ArchiveError)
      expect(await countCopies()).toBe(0)
      expect(await readLines(source, fixture.workspace)).toEqual(before)
    })

    it('an import beside another workspace leaves its owners the administration of the server', async () => {
      await importInto(rows())
      expect(await countCopies()).toBe(1)
      const { rows: found } = await source.query('select app.is_first_workspace($1) as copy', [workspaceId])
      expect(found).toEqual([{ copy: false }])
      await source.query('delete from public.workspaces where id = $1', [workspaceId])
    })
  })

  describe('the pages of an archive', () => {
    const readEntries = async (path: string): Promise<Map<string, string>> => {
      const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
      const found: Entry[] = []
      await new Promise((resolve) => {
        zip.on('end', resolve)
        zip.on('entry', (entry: Entry) => {
          found.push(entry)
          zip.readEntry()
        })
        zip.readEntry()
      })
      const entries = new Map<string, string>()
      for (const entry of found)
        entries.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)))
      zip.close()
      return entries
    }

    it('each conversation has a page with names, texts, replies, reactions and files', async () => {
      const entries = await readEntries(path)
      const index = entries.get('index.html')!
      expect(index).toContain(`<a href="./pages/${fixture.lobby}-1.html">#lobby</a>`)
      expect(index).toContain(`<a href="./pages/${fixture.direct}-1.html">`)
      const lobby = entries.get(`pages/${fixture.lobby}-1.html`)!
      expect(lobby).toContain('<bdi>bea Example</bdi>')
      expect(lobby).toContain('The plan')
      expect(lobby).toContain('class="reply"')
      expect(lobby).toMatch(/<p class="reactions quiet"><span>\S+ 1<\/span>/)
      expect(lobby).toContain(
        `<a href="./../files/files/${fixture.lobby}/${upload}/file/plan.txt" dir="auto">plan.txt</a>`,
      )
    })

    const exportWith = async (scope: 'all' | 'owner'): Promise<Map<string, string>> => {
      const other = join(folder, `${randomUUID()}.zip`)
      await writeArchive({
        database: source,
        workspaceId: fixture.workspace,
        scope,
        actorId: null,
        version: '0.0.0',
        path: other,
        readObject: async () => bytes('hello'),
      })
      return readEntries(other)
    }

    it('an export for owners has no page of a private conversation', async () => {
      const pages = Array.from((await exportWith('owner')).keys()).filter((name) => name.endsWith('.html'))
      expect(pages).toContain(`pages/${fixture.lobby}-1.html`)
      expect(pages.filter((name) => name.includes(fixture.closed) || name.includes(fixture.direct))).toEqual(
        [],
      )
    })

    it('a page shows the text of a quoted message only if the archive has its channel', async () => {
      const { secret, fresh } = fixture.messages
      const body = 'The orchid opens at dawn'
      await source.query('update public.messages set body = $1 where id = $2', [body, secret])
      await source.query('update public.messages set extras = $1 where id = $2', [
        { quote: { message_id: secret } },
        fresh,
      ])
      const lobbyOf = async (scope: 'all' | 'owner') =>
        (await exportWith(scope)).get(`pages/${fixture.lobby}-1.html`)!
      expect(await lobbyOf('all')).toContain(body)
      const forOwners = await lobbyOf('owner')
      expect(forOwners).toContain('The quoted message is not in this archive.')
      expect(forOwners).not.toContain(body)
    })

    it('a page has polls with their votes, and notices', async () => {
      const { fresh } = fixture.messages
      await source.query('update public.messages set extras = $1 where id = $2', [
        { poll: { options: ['Tea', 'Coffee'], multiple: false, anonymous: false, closes_at: null } },
        fresh,
      ])
      await fixture.committedAs('bea', (s) => s.call('react', { message: fresh, emoji: 'poll:1', on: true }))
      const lobby = (await exportWith('all')).get(`pages/${fixture.lobby}-1.html`)!
      expect(lobby).toContain('<bdi>Coffee</bdi> <span class="quiet">1 vote</span>')
      expect(lobby).toMatch(/<\/bdi> (?:joined|created this channel)\./)
    })

    it('texts, names and files cannot add elements, scripts and addresses to a page', async () => {
      const attack = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`
      const attacked = join(folder, `${randomUUID()}.zip`)
      await source.query('update public.profiles set name = $1 where id = $2', [attack, fixture.profile.bea])
      await source.query('update public.attachments set name = $1', [`"><img src=x onerror='alert(1)'>.png`])
      await source.query('update public.channels set topic = $1 where id = $2', [attack, fixture.lobby])
      await source.query('update public.messages set body = $1 where id = $2', [
        `[x](javascript:alert(1)) ${attack}`,
        fixture.messages.fresh,
      ])
      await writeArchive({
        database: source,
        workspaceId: fixture.workspace,
        scope: 'all',
        actorId: null,
        version: '0.0.0',
        path: attacked,
        readObject: async () => null,
      })
      const pages = Array.from(await readEntries(attacked)).filter(([name]) => name.endsWith('.html'))
      expect(pages.some(([, page]) => page.includes('alert(1)'))).toBe(true)
      for (const [, page] of pages) {
        expect(page).not.toMatch(/<script|<img src="?x|javascript:alert\(1\)"/)
        expect(page).toContain(`content="default-src &#39;none&#39;`)
      }
    })
  })

  describe('files that are no archives', () => {
    const openChanged = async (change: (content: Buffer) => Buffer): Promise<unknown> => {
      const changed = join(folder, `${randomUUID()}.zip`)
      writeFileSync(changed, change(readFileSync(path)))
      const archive = await openArchive(changed)
      archive.close()
      return archive
    }
    const openZip = async (entries: Record<string, string>): Promise<unknown> => {
      const zip = makeZip(Object.entries(entries).map(([name, input]) => ({ name, input })))
      const content = Buffer.from(await new Response(zip as unknown as ReadableStream).arrayBuffer())
      return openChanged(() => content)
    }

    it('the archive itself is opened', async () => {
      await expect(openChanged((content) => content)).resolves.toBeDefined()
    })

    it('an archive with a changed byte is refused', async () => {
      const refused = openChanged((content) => {
        const at = content.indexOf('Orchids for')
        expect(at).toBeGreaterThan(0)
        content[at] = 'A'.charCodeAt(0)
        return content
      })
      await expect(refused).rejects.toThrow(/checksum|damaged/)
    })

    it('an archive that ends too soon is refused', async () => {
      await expect(openChanged((content) => content.subarray(0, 5_000))).rejects.toThrow(ArchiveError)
    })

    it('a name that leaves the archive is refused', async () => {
      await expect(openZip({ '../outside': 'x', 'manifest.json': '{}' })).rejects.toThrow(ArchiveError)
    })

    it('a ZIP file of another program is refused', async () => {
      await expect(openZip({ 'a.txt': 'x' })).rejects.toThrow('The file is not an archive of Linnet')
    })

    it('an entry that the manifest does not list is refused', async () => {
      const manifest = {
        format: 'linnet-archive',
        version: 1,
        workspace: { id: 'x', name: 'x' },
        tables: [],
        files: [],
        otherEntries: [],
      }
      await expect(openZip({ 'x.txt': 'x', 'manifest.json': JSON.stringify(manifest) })).rejects.toThrow(
        'entries that its manifest does not list',
      )
    })
  })
})
