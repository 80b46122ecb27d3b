import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateMattermostExport } from '../../support/generateMattermostExport.ts'
import { runCommandLine, type CommandResult } from '../../support/runCommandLine.ts'
import { temporaryData, type Server } from '../../support/server.ts'
import { startWorkspace } from '../../support/startWorkspace.ts'

const data = temporaryData()
let server: Server
let database: Client
let folder: string

const importMattermost = (...args: string[]): Promise<CommandResult> =>
  runCommandLine(['import', 'mattermost', ...args, '--data', data.dir])

beforeAll(async () => {
  server = await startWorkspace(data.dir)
  database = new Client(server.dbUrl)
  await database.connect()
  folder = await generateMattermostExport({
    seed: 1,
    people: 30,
    channels: 2,
    messages: 3_000,
    files: 30,
    emails: ['ann@harbour.example', 'bea@harbour.example'],
  })
})
afterAll(async () => {
  await database?.end()
  await server?.end('SIGTERM')
  data.remove()
  rmSync(folder, { recursive: true, force: true })
})

it('a dry run counts what an export contains', async () => {
  const { code, stdout, stderr } = await importMattermost(folder, '--dry-run')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  // Besides the people: the bot, a webhook, and the unknown authors of missing first messages.
  expect(stdout).toContain('People: 2 are members already, 31 are imported without an account.')
  expect(stdout).toMatch(/Channel 0 \(main\).*\n.*Channel 1 \(main\).*\n.*Channel 0 \(night\)/)
  expect(stdout).toContain('1 lines are damaged, and are not imported.')
  const json = JSON.parse(readFileSync(`${folder}.dry-run.json`, 'utf8')) as {
    pictures: number
    emoji: number
    customEmoji: Record<string, number>
    channels: {
      read: number
      written: number
      skipped: Record<string, number>
      createdRoots: number
      files: number
      missingFileCount: number
    }[]
    rows: Record<string, number>
  }
  const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0)
  // Members keep their pictures. Reactions with the custom emoji show it.
  expect(json).toMatchObject({ pictures: 3, emoji: 1, customEmoji: {} })
  for (const { read, written, skipped, createdRoots } of json.channels)
    expect(written).toBe(read - sum(Object.values(skipped)) + createdRoots)
  expect(sum(json.channels.map(({ written }) => written))).toBe(json.rows['messages'])
  expect(sum(json.channels.map(({ createdRoots }) => createdRoots))).toBeGreaterThan(0)
  expect(sum(json.channels.map(({ files, missingFileCount }) => files + missingFileCount))).toBeGreaterThan(
    20,
  )
})

it('an import writes all messages and custom emoji', async () => {
  const first = await importMattermost(folder)
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 })
  const { rows } = await database.query<{ gaps: number; imported: number; emoji: number }>(
    `select count(*) filter (where k.last_seq <> (select count(m.seq) from public.messages m where m.channel_id = c.id))::int as gaps,
       count(*)::int as imported,
       (select count(*)::int from public.custom_emoji e where e.name = 'party_parrot') as emoji
     from public.channels c join public.channel_counters k on k.channel_id = c.id where c.name like 'Channel _ (%)'`,
  )
  expect(rows[0]).toMatchObject({ gaps: 0, imported: 4, emoji: 1 })
})

it('an export of another product is refused in one sentence', async () => {
  const { code, stderr } = await importMattermost(join(folder, 'data'), '--dry-run')
  expect(code).toBe(1)
  expect(stderr).toContain('This is no export of Mattermost: it has no file whose name ends with .jsonl.')
})
