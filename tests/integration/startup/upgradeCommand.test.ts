import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Commands } from '../../../wire/commands.ts'
import type { Message } from '../../../wire/messages.ts'
import { isAlive } from '../../../backend/postgres/server/processIdentity.ts'
import { readRunningServer } from '../../../backend/startup/runningServer.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import { checkMessages } from '../../crash/crash.ts'
import { createVersion } from '../../support/createVersion.ts'
import { adminOf, call, foundWorkspace, signInAgain } from '../../support/people.ts'
import { runCommandLine, type CommandResult } from '../../support/runCommandLine.ts'
import { startServer, type Server } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')

/** The rehearsal has no TCP port, and then the default port in the name of its socket. */
const isRealServer = `current_setting('port') <> '5432'`

let dir = ''
let dataDir = ''
let server: Server | undefined
let message: { client: SupabaseClient; channel: string }

/** An unpacked package with one more migration. */
function createVersionWith(version: string, migration: string): string {
  const packageDir = join(dir, version)
  createVersion(packageDir, version)
  for (const name of ['config.toml', 'linnet.toml', 'migrations', 'functions', 'templates'])
    cpSync(join(root, 'supabase', name), join(packageDir, 'supabase', name), { recursive: true })
  writeFileSync(join(packageDir, 'supabase/migrations/99990101000000_upgrade.sql'), migration)
  return packageDir
}

const upgrade = (...args: string[]): Promise<CommandResult> =>
  runCommandLine(['upgrade', ...args, '--data', dataDir])

const start = (): Promise<Server> => startServer({ root, dataDir, args: ['--no-app', '--db-port', '0'] })

/** Reads a value with a query of one row and one column. */
async function readValue(query: string): Promise<unknown> {
  const client = new Client(readRunningServer(dataDir)!.dbUrl)
  await client.connect()
  try {
    const { rows } = await client.query<{ value: unknown }>(query)
    return rows[0]?.value
  } finally {
    await client.end()
  }
}

/** Sends messages until `isDone`, and each one again with its id until the server accepts it. */
async function sendUntil(isDone: () => boolean): Promise<Set<string>> {
  const acknowledged = new Set<string>()
  for (let number = 1; !isDone() || acknowledged.size < 3; number++) {
    const id = randomUUID()
    const body = `Message ${number}`
    await expect
      .poll(async () => {
        const { error } = await message.client.rpc('send_message', { id, body, channel: message.channel })
        if (error?.code?.startsWith('PT') || error?.code?.startsWith('23')) throw error
        return error === null
      })
      .toBe(true)
    acknowledged.add(id)
  }
  return acknowledged
}

/** The faults of the stored messages, in sentences. */
async function findFaults(acknowledged: Set<string>): Promise<string[]> {
  const messages: Message[] = []
  for (let after = 0; ;) {
    const page: Commands['channel_page']['response'] = await call(message.client, 'channel_page', {
      channel: message.channel,
      after,
      limit: 100,
    })
    messages.push(...page.messages)
    if (!page.has_after) break
    after = page.messages.at(-1)!.seq!
  }
  return checkMessages(messages, [{ acknowledged }])
}

const listOf = (folder: string): string[] => {
  const path = join(dataDir, folder)
  // The lock of the folder stays, as in a data folder.
  return existsSync(path)
    ? readdirSync(path).filter((name) => !name.endsWith('.json') && name !== 'linnet.flock')
    : []
}

/** Nothing of an upgrade is left, and the server that has run before runs. */
async function expectUnchanged(pid: number): Promise<void> {
  expect(readRunningServer(dataDir)?.pids.server).toBe(pid)
  expect(await readValue(`select to_regclass('public.upgraded') is null as value`)).toBe(true)
  expect(
    await readValue('select count(*)::int as value from pg_replication_slots where slot_type = $$physical$$'),
  ).toBe(0)
  expect([listOf('releases'), listOf('backups')]).toEqual([[], []])
  expect(await findFaults(new Set())).toEqual([])
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-upgrade-'))
  // Started as root, PostgreSQL runs as another user, who needs access.
  chmodSync(dir, 0o755)
  dataDir = join(dir, 'data')
  mkdirSync(dataDir, { mode: 0o711 })
  await fillLinnetData(dataDir)
  rmSync(join(dataDir, 'schema.changing'), { force: true })
  server = await start()
  const { ann, channel } = await foundWorkspace(server)
  await adminOf(server).from('settings').delete().eq('key', 'rate_limits')
  message = { client: ann, channel }
})
afterAll(async () => {
  await server?.end('SIGTERM')
  rmSync(dir, { recursive: true, force: true })
})

it('a version whose migration fails is not installed', async () => {
  const failing = createVersionWith('0.9.1', 'create table public.upgraded (); select 1 / 0;')
  const plan = await upgrade(failing, '--check')
  expect(plan).toMatchObject({ code: 0 })
  expect(plan.stdout).toContain('99990101000000_upgrade.sql')
  const { code, stderr } = await upgrade(failing)
  expect(code).toBe(1)
  expect(stderr).toContain('division by zero')
  expect(stderr).toContain('The old version runs as before.')
  await expectUnchanged(server!.pids.server)
})

it('the old version continues on the data as they were if the new version fails only on them', async () => {
  const failing = createVersionWith(
    '0.9.2',
    `create table public.upgraded (); do $$ begin if ${isRealServer} then raise exception 'refused here'; end if; end $$;`,
  )
  const acknowledged = await sendUntil(() => true)
  const { code, stderr } = await upgrade(failing)
  expect(stderr).toContain('refused here')
  expect(code).toBe(1)
  await expect.poll(() => readRunningServer(dataDir)).not.toBe(null)
  await expectUnchanged(server!.pids.server)
  expect(await findFaults(acknowledged)).toEqual([])
})

it('the next start restores the data if the server is killed during the exchange', async () => {
  const slow = createVersionWith(
    '0.9.3',
    `create table public.upgraded (); do $$ begin if ${isRealServer} then perform pg_sleep(600); end if; end $$;`,
  )
  const acknowledged = await sendUntil(() => true)
  const command = upgrade(slow)
  await expect.poll(() => existsSync(join(dataDir, 'releases/switch.json'))).toBe(true)
  await server!.end('SIGKILL')
  server = await start()
  expect(await readValue(`select to_regclass('public.upgraded') is null as value`)).toBe(true)
  message.client = await signInAgain(server, 'ann')
  expect(await findFaults(acknowledged)).toEqual([])
  // It waits for the outcome, which nobody reports.
  expect((await command).code).toBe(1)
})

it('a client that repeats unanswered messages loses none and adds none twice during an upgrade', async () => {
  const version = createVersionWith('1.0.0', 'create table public.upgraded ();')
  let isDone = false
  const sending = sendUntil(() => isDone)
  const { code, stdout, stderr } = await upgrade(version)
  isDone = true
  expect(stderr).toContain('without service')
  expect(stdout).toContain('Upgraded to 1.0.0.')
  expect(code).toBe(0)
  const acknowledged = await sending
  expect(await findFaults(acknowledged)).toEqual([])
  expect(await readValue(`select to_regclass('public.upgraded') is not null as value`)).toBe(true)
  const running = readRunningServer(dataDir)!
  expect(running.url).toBe(server!.url)
  expect(running.pids.server).not.toBe(server!.pids.server)
  // The process that was started passes the signal on, and ends with the new version.
  expect(await server!.end('SIGTERM')).toMatchObject({ code: 0 })
  expect(isAlive(running.pids.server)).toBe(false)
  expect(listOf('backups')).toHaveLength(1)
  // The old program would refuse a database with a migration that it lacks.
  server = await start()
  expect(await readValue(`select to_regclass('public.upgraded') is not null as value`)).toBe(true)
})
