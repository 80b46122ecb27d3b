import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateDiscordExport } from '../../support/generateDiscordExport.ts'
import { runCommandLine, type CommandResult } from '../../support/runCommandLine.ts'
import { temporaryData, type Server } from '../../support/server.ts'
import { startWorkspace } from '../../support/startWorkspace.ts'

const data = temporaryData()
let server: Server
let database: Client
let folder: string

const importDiscord = (...args: string[]): Promise<CommandResult> =>
  runCommandLine(['import', 'discord', ...args, '--data', data.dir])

beforeAll(async () => {
  server = await startWorkspace(data.dir)
  database = new Client(server.dbUrl)
  await database.connect()
  folder = await generateDiscordExport({ seed: 1, people: 30, channels: 3, messages: 2_000, files: 20 })
})
afterAll(async () => {
  await database?.end()
  await server?.end('SIGTERM')
  data.remove()
  rmSync(folder, { recursive: true, force: true })
})

it('a dry run counts what an export contains', async () => {
  const { code, stdout, stderr } = await importDiscord(folder, '--dry-run')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stdout).toContain('People: 0 are members already, 31 are imported without an account.')
  expect(stdout).toContain('Channels and conversations: 3.')
  expect(stdout).toMatch(/threads lack their first message, and begin with their name\./)
  const { channels, rows } = JSON.parse(readFileSync(`${folder}.dry-run.json`, 'utf8')) as {
    channels: { read: number; written: number; skipped: Record<string, number>; files: number }[]
    rows: Record<string, number>
  }
  for (const { read, written, skipped } of channels)
    expect(written).toBe(read - Object.values(skipped).reduce((total, one) => total + one, 0))
  expect(channels.reduce((total, { written }) => total + written, 0)).toBe(rows['messages'])
})

it('an import writes channels with their members, threads and quotes', async () => {
  const first = await importDiscord(folder)
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 })
  const { rows } = await database.query(
    `select c.kind, c.name, c.topic, c.description,
       (select count(*) > 20 from public.channel_members m where m.channel_id = c.id) as has_members,
       (select count(m.seq) from public.messages m where m.channel_id = c.id) = k.last_seq as is_complete,
       exists (select from public.messages m where m.channel_id = c.id and m.thread_seq > 1) as has_threads,
       exists (select from public.messages m join public.messages q on q.id::text = m.extras #>> '{quote,message_id}'
         where m.channel_id = c.id and q.channel_id = c.id) as has_quotes
     from public.channels c join public.channel_counters k on k.channel_id = c.id
     where c.name like 'channel-%' order by c.name`,
  )
  expect(rows).toEqual(
    [0, 1, 2].map((at) => ({
      kind: 'private',
      name: `channel-${at}`,
      topic: `Topic ${at}`,
      description: 'Wards',
      has_members: true,
      is_complete: true,
      has_threads: true,
      has_quotes: true,
    })),
  )
})

it('a folder that is no export is refused in one sentence', async () => {
  expect(
    await importDiscord(join(folder, 'Acme - Wards - channel-0 [200000].json_Files'), '--dry-run'),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('This is no export of Discord: ') as string,
  })
})
