import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateZulipExport, packZulipExport } from '../../support/generateZulipExport.ts'
import { runCommandLine, type CommandResult } from '../../support/runCommandLine.ts'
import { temporaryData, type Server } from '../../support/server.ts'
import { startWorkspace } from '../../support/startWorkspace.ts'

const data = temporaryData()
let server: Server
let database: Client
let folder: string
let file: string

const importZulip = (...args: string[]): Promise<CommandResult> =>
  runCommandLine(['import', 'zulip', ...args, '--data', data.dir])

beforeAll(async () => {
  server = await startWorkspace(data.dir)
  database = new Client(server.dbUrl)
  await database.connect()
  folder = generateZulipExport({
    seed: 1,
    people: 30,
    streams: 10,
    topics: 20,
    messages: 3_000,
    files: 60,
    emails: ['ann@harbour.example', 'bea@harbour.example'],
  })
  file = await packZulipExport(folder)
})
afterAll(async () => {
  await database?.end()
  await server?.end('SIGTERM')
  data.remove()
  for (const path of [folder, file, `${file}.dry-run.json`, `${file}.receipt.json`])
    rmSync(path, { recursive: true, force: true })
})

it('a dry run counts what an export contains with its topics as threads or channels', async () => {
  const threads = await importZulip(file, '--dry-run')
  expect({ code: threads.code, stderr: threads.stderr }).toMatchObject({ code: 0 })
  expect(threads.stdout).toContain('People: 2 are members already, 29 are imported without an account.')
  expect(threads.stdout).toContain('Messages: 3,000')
  expect(threads.stdout).toContain('Files: 59 are imported, 1 are missing.')
  expect(threads.stdout).toMatch(
    /\n\d+ topics become threads, whose first message shows the name of the topic\./,
  )
  const channels = await importZulip(file, '--dry-run', '--topics', 'channels')
  expect(channels.stdout).toMatch(/\n\d+ topics become channels beside the channel of their stream\./)
  expect(channels.stdout).toContain('stream-1 › topic ')
  const { channels: listed } = JSON.parse(readFileSync(`${file}.dry-run.json`, 'utf8')) as {
    channels: { read: number; written: number; createdRoots: number }[]
  }
  expect(listed.reduce((sum, { written }) => sum + written, 0)).toBe(3_000)
  for (const { read, written, createdRoots } of listed) expect([written, createdRoots]).toEqual([read, 0])
})

it('an import writes topics, archived streams and histories that begin later', async () => {
  const first = await importZulip(file)
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 })
  const { rows } = await database.query(
    `select count(*)::int as topics, bool_and(r.body ~* '^\\*\\*topic \\d+\\*\\*\\n') as have_titles,
       bool_and(r.reply_count > 0) as have_replies
     from public.messages r join public.channels c on c.id = r.channel_id
     where c.name like 'stream-%' and r.last_thread_seq > 0 and r.deleted_at is null`,
  )
  expect(rows[0]).toMatchObject({ have_titles: true, have_replies: true })
  const { rows: archived } = await database.query(
    `select name from public.channels where archived_at is not null and name like 'stream-%'`,
  )
  expect(archived).toEqual([{ name: 'stream-9' }])
  const { rows: conversations } = await database.query(
    `select kind, count(*)::int from public.channels where import_id is not null group by kind order by kind`,
  )
  expect(conversations.map(({ kind }) => kind as string)).toEqual(['direct', 'group', 'private', 'public'])
  const { rows: late } = await database.query(
    `select distinct c.name from public.channel_members m join public.channels c on c.id = m.channel_id
     where c.import_id is not null and m.history_from_seq > 1 order by c.name`,
  )
  expect(late).toEqual([{ name: 'stream-4' }, { name: 'stream-9' }])
})

it('a file that is no export is refused in one sentence', async () => {
  const other = join(data.dir, 'other.tar.gz')
  writeFileSync(other, 'text')
  expect(await importZulip(other, '--dry-run')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${other} is neither a .tar.gz file nor a folder.`) as string,
  })
  expect((await importZulip(folder, '--topics', 'rooms')).stderr).toContain(
    '--topics must be threads or channels, not "rooms".',
  )
})
