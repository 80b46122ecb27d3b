import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import { endWithThisProcess, startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { percentile } from './scroll/inPage.ts'
import { seedLongChannel } from './scroll/seedLongChannel.ts'
import type { AddRow } from './table.ts'

const MiB = 1024 * 1024
const fileBytes = MiB
/** Messages are sent at this interval, so that a slow one delays no other. */
const sendIntervalMs = 50

export const timeoutMs = 60 * 60_000

/** Runs a program to its end, and returns the seconds. Rejects if it fails. */
async function timed(program: string, args: string[]): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  endWithThisProcess(child)
  const code = await new Promise<number | null>((resolve) => {
    child.once('exit', resolve)
  })
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`)
  return (performance.now() - startedAt) / 1000
}

/** Writes files as the storage service does, without their rows: a backup reads only the files. */
function writeFiles(dataDir: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const version = randomUUID()
    const folder = join(dataDir, 'storage', 'objects', version.slice(0, 2))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, version), randomBytes(fileBytes), { mode: 0o600 })
  }
}

/** Ann sends more messages than a person may. */
async function removeRateLimits(server: Server): Promise<void> {
  const client = new Client({ connectionString: server.dbUrl })
  await client.connect()
  await client.query(`update public.settings set value = '{}' where key = 'rate_limits'`)
  await client.end()
}

async function signIn(server: Server): Promise<SupabaseClient> {
  const open = (key: string): SupabaseClient =>
    createClient(server.url, key, {
      auth: { persistSession: false },
      realtime: { transport: WebSocket as never },
    })
  const made = await open(server.secretKey).auth.admin.generateLink({
    type: 'magiclink',
    email: 'ann@harbour.example',
  })
  if (made.error) throw made.error
  const ann = open(server.publishableKey)
  const token = made.data.properties.hashed_token
  const { error } = await ann.auth.verifyOtp({ token_hash: token, type: 'email' })
  if (error) throw error
  return ann
}

/** Sends messages at a constant rate while `work` runs, and returns the milliseconds of each. */
async function sendDuring(ann: SupabaseClient, channel: string, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  const sending: Promise<void>[] = []
  const done = new AbortController()
  void work.finally(() => {
    done.abort()
  })
  while (!done.signal.aborted) {
    const startedAt = performance.now()
    const args = { id: randomUUID(), channel, body: 'The van comes at four' }
    const sent = Promise.resolve(ann.rpc('send_message', args))
    sending.push(
      sent.then(({ error }) => {
        if (error !== null) throw new Error(error.message)
        times.push(performance.now() - startedAt)
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, sendIntervalMs))
  }
  await work
  await Promise.all(sending)
  return times
}

/**
 * Measures a first backup of a stopped installation beside `cp -a` of its folder, a second one, and messages that are sent
 * while a first backup of the running server is written. The goals are 1.3 times the time of `cp -a`, and twice the 99th
 * percentile of the same messages without a backup.
 */
export async function run(add: AddRow): Promise<void> {
  const isBig = process.argv.includes('--big')
  const [messages, files] = isBig ? [1_000_000, 5 * 1024] : [100_000, 512]
  const root = process.cwd()
  const data = temporaryData()
  const target = mkdtempSync(join(tmpdir(), 'linnet-target-'))
  chmodSync(target, 0o755)
  const start = (more: string[] = []): Promise<Server> =>
    startServer({ root, dataDir: data.dir, args: ['--no-app', '--db-port', '0', ...more] })
  const backUp = (name: string): Promise<number> =>
    timed(process.execPath, [
      join(root, 'bin/linnet'),
      'backup',
      '--data',
      data.dir,
      '--to',
      join(target, name),
    ])
  try {
    let server = await start(['--demo'])
    const channel = await seedLongChannel(server.dbUrl, messages)
    await removeRateLimits(server)
    await server.end('SIGTERM')
    writeFiles(data.dir, files)
    const copies: number[] = []
    const syncedCopies: number[] = []
    const backups: number[] = []
    // Alternately, so that other load on the machine affects both.
    for (const round of [1, 2]) {
      const copied = await timed('cp', ['-a', data.dir, join(target, `copy-${round}`)])
      copies.push(copied)
      syncedCopies.push(copied + (await timed('sync', ['-f', target])))
      rmSync(join(target, `copy-${round}`), { recursive: true })
      backups.push(await backUp(`stopped-${round}`))
      if (round === 1) rmSync(join(target, 'stopped-1'), { recursive: true })
    }
    const [copy, syncedCopy, first] = [Math.min(...copies), Math.min(...syncedCopies), Math.min(...backups)]
    const size = `${messages.toLocaleString('en')} messages, ${(files * fileBytes) / MiB} MiB of files`
    add({
      what: `first backup of a stopped server, ${size}`,
      goal: '≤ 1.3×',
      value: first,
      unit: 's',
      ratio: first / copy,
      against: `cp -a ${copy.toFixed(1)} s`,
    })
    add({
      what: 'the same; the files of both are on the disk at the end',
      value: first,
      unit: 's',
      ratio: first / syncedCopy,
      against: `cp -a and sync ${syncedCopy.toFixed(1)} s`,
    })
    const second = await backUp('stopped-2')
    add({
      what: 'second backup: the database again, and no new files',
      value: second,
      unit: 's',
      ratio: second / copy,
      against: `cp -a ${copy.toFixed(1)} s`,
    })
    rmSync(join(target, 'stopped-2'), { recursive: true })
    server = await start()
    const ann = await signIn(server)
    const without = await sendDuring(
      ann,
      channel,
      new Promise((resolve) => setTimeout(resolve, first * 1000)),
    )
    const during = await sendDuring(ann, channel, backUp('running'))
    const [p99, p99Without] = [percentile(during, 0.99), percentile(without, 0.99)]
    add({
      what: `messages while a first backup is written (${during.length} messages)`,
      goal: '≤ 2×',
      value: p99,
      unit: 'ms p99',
      ratio: p99 / p99Without,
      against: `without ${p99Without.toFixed(1)} ms`,
    })
    await server.end('SIGTERM')
  } finally {
    data.remove()
    rmSync(target, { recursive: true, force: true })
  }
}
