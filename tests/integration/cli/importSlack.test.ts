import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openArchiveProject } from '../../../backend/cli/archiveProject.ts'
import type { ImportReceipt } from '../../../backend/optional/import/importExport.ts'
import { generateSlackExport } from '../../support/generateSlackExport.ts'
import { runCommandLine, type CommandResult } from '../../support/runCommandLine.ts'
import { temporaryData, type Server } from '../../support/server.ts'
import { startWorkspace } from '../../support/startWorkspace.ts'

const data = temporaryData()
let server: Server
let database: Client
let folder: string

const importSlack = (...args: string[]): Promise<CommandResult> =>
  runCommandLine(['import', 'slack', ...args, '--data', data.dir])

const countRows = async (): Promise<unknown> =>
  (
    await database.query(
      `select (select count(*)::int from public.messages) as messages, (select count(*)::int from public.channels) as channels,
         (select count(*)::int from public.profiles) as profiles`,
    )
  ).rows[0]

beforeAll(async () => {
  server = await startWorkspace(data.dir)
  database = new Client(server.dbUrl)
  await database.connect()
  folder = await generateSlackExport({
    seed: 1,
    people: 30,
    channels: 3,
    messages: 3_000,
    files: 30,
    days: 5,
    emails: ['ann@harbour.example', 'bea@harbour.example'],
  })
})
afterAll(async () => {
  await database?.end()
  await server?.end('SIGTERM')
  data.remove()
  rmSync(folder, { recursive: true, force: true })
})

it('a dry run counts what an export contains, and writes nothing', async () => {
  const before = await countRows()
  const { code, stdout, stderr } = await importSlack(folder, '--dry-run')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stdout).toContain('People: 2 are members already, 30 are imported without an account.')
  expect(stdout).toContain('Channels and conversations: 3.')
  expect(stdout).toMatch(/1,000 +\d+ {2}channel-0 \(/)
  expect(await countRows()).toEqual(before)
  const json = JSON.parse(readFileSync(`${folder}.dry-run.json`, 'utf8')) as {
    channels: { read: number; written: number; skipped: Record<string, number>; createdRoots: number }[]
    rows: Record<string, number>
  }
  const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0)
  for (const { read, written, skipped, createdRoots } of json.channels)
    expect(written).toBe(read - sum(Object.values(skipped)) + createdRoots)
  expect(sum(json.channels.map(({ written }) => written))).toBe(json.rows['messages'])
})

it('an import writes what the dry run has counted, and a second one changes nothing', async () => {
  const state = async (): Promise<unknown> =>
    (
      await database.query(
        `select (select md5(string_agg(m::text, '' order by m.id)) from public.messages m) as messages,
           (select md5(string_agg(k::text, '' order by k.channel_id)) from public.channel_counters k) as counters,
           (select count(*)::int from public.reactions) as reactions, (select count(*)::int from public.attachments) as files,
           (select count(*)::int from public.channel_members) as members, (select count(*)::int from public.message_search) as found`,
      )
    ).rows[0]
  const first = await importSlack(folder, '--name', 'Acme')
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 })
  const { rows } = await database.query<{ gaps: number }>(
    `select count(*)::int as gaps from public.channels c join public.channel_counters k on k.channel_id = c.id
     where c.name like 'channel-%' and k.last_seq <> (select count(m.seq) from public.messages m where m.channel_id = c.id)`,
  )
  expect(rows[0]!.gaps).toBe(0)
  const expected = JSON.parse(readFileSync(`${folder}.dry-run.json`, 'utf8')) as ImportReceipt
  const channels = await database.query<{ id: string }>(
    'select id from public.channels where import_id is not null',
  )
  const { rows: written } = await database.query<Record<string, number>>(
    `select count(*)::int as messages,
       (select count(*)::int from public.reactions r join public.messages m on m.id = r.message_id where m.channel_id = any ($1)) as reactions,
       (select count(*)::int from public.attachments a where a.upload_channel_id = any ($1)) as attachments,
       (select count(*)::int from public.pins p where p.channel_id = any ($1)) as pins
     from public.messages where channel_id = any ($1)`,
    [channels.rows.map(({ id }) => id)],
  )
  const { messages, reactions, attachments, pins = 0 } = expected.rows
  expect(written[0]).toEqual({ messages, reactions, attachments, pins })
  const before = await state()
  expect((await importSlack(folder)).code).toBe(0)
  expect(await state()).toEqual(before)
  const { rows: records } = await database.query(
    `select i.product, i.source_name, i.finished_at is not null as is_finished,
       (select count(*)::int from public.channels c where c.import_id = i.id) as channels,
       (select count(*)::int from public.imported_people p where p.import_id = i.id) as people
     from public.imports i`,
  )
  expect(records).toEqual([
    { product: 'slack', source_name: 'Acme', is_finished: true, channels: 3, people: 30 },
  ])
})

it('an import whose files exceed the quota of the workspace is announced by the dry run, and refused', async () => {
  const { rows } = await database.query<{ free: number }>(
    'update public.workspace_storage set max_bytes = 1000000, used_bytes = 999000 returning (max_bytes - used_bytes)::int as free',
  )
  expect(rows).toEqual([{ free: 1_000 }])
  const large = await generateSlackExport({
    seed: 2,
    team: 'T2',
    people: 3,
    channels: 1,
    messages: 200,
    files: 60,
    days: 1,
  })
  try {
    const before = await countRows()
    const { code, stdout } = await importSlack(large, '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /The storage of the workspace has room for 1000 bytes\. The files need 1\.1\d KiB\./,
    )
    expect(await importSlack(large)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('An owner can raise its limit, or leave out channels.') as string,
    })
    expect(await countRows()).toEqual(before)
    await database.query('update public.workspace_storage set max_bytes = 2000000')
    expect((await importSlack(large)).code).toBe(0)
  } finally {
    rmSync(large, { recursive: true, force: true })
  }
})

it('the connections of the commands have a low priority', async () => {
  const { database: connection } = await openArchiveProject(data.dir, {})
  try {
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
    expect(getPriority(rows[0]!.pid)).toBe(10)
  } finally {
    await connection.end()
  }
})

it('a file that is no export is refused in one sentence', async () => {
  const file = join(data.dir, 'other.zip')
  writeFileSync(file, 'text')
  expect(await importSlack(file, '--dry-run')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${file} is neither a ZIP file nor a folder.`) as string,
  })
  const { stderr } = await importSlack(folder, '--dry-run', '--workspace', 'Nowhere')
  expect(stderr).toContain('There is no workspace "Nowhere".')
})
