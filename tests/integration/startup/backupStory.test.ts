import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { afterAll, expect, it } from 'vitest'
import { readBackupState } from '../../../backend/backup/state.ts'
import { parseLsn } from '../../../backend/postgres/connections/lsn.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import { foundWorkspace, signInAgain } from '../../support/people.ts'
import { runCommandLine } from '../../support/runCommandLine.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')

// One group without an administrator: it writes, its server backs itself up, one backup is killed, the machine is lost, and
// the group goes on with a copy of the last message, or of an earlier moment.

const data = temporaryData()
const backups = temporaryData()
const environment = {
  LINNET_BACKUP_ENABLED: 'true',
  LINNET_BACKUP_TO: backups.dir,
  LINNET_BACKUP_AT: '00:00',
}
let server: Server | null = null
/** Ids of messages that the server has acknowledged, in order. */
const acknowledged: string[] = []

afterAll(async () => {
  await server?.end('SIGKILL')
  data.remove()
  backups.remove()
})

async function send(client: SupabaseClient, channel: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    const id = randomUUID()
    const { error } = await client.rpc('send_message', {
      id,
      channel,
      body: `Message ${acknowledged.length + 1}`,
    })
    if (error) throw error
    acknowledged.push(id)
  }
}

async function linnet(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommandLine(args)
  if (code !== 0) throw new Error(`linnet ${args.join(' ')} failed (${code}): ${stderr}`)
  return stdout
}

/** Starts a backup and kills it as soon as it has begun to write. */
async function killBackup(): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(root, 'bin/linnet'), 'backup', '--data', data.dir, '--to', backups.dir, '-o', 'json'],
    { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = new Promise((resolve) => child.once('close', resolve))
  // The first step reports before the base backup is complete.
  await Promise.race([new Promise((resolve) => child.stderr.once('data', resolve)), ended])
  child.kill('SIGKILL')
  await ended
}

/** Resolves when the archive has everything that PostgreSQL has written to its log. */
async function waitForArchive(dbUrl: string): Promise<void> {
  const client = new Client({ connectionString: dbUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ end: string }>('select pg_current_wal_flush_lsn()::text as end')
    const end = parseLsn(rows[0]!.end)
    // Not the position of the slot: it advances by whole segments only.
    const isArchived = (): boolean => parseLsn(readBackupState(data.dir).wal?.archivedLsn ?? '0/0') >= end
    await expect.poll(isArchived, { interval: 20 }).toBe(true)
  } finally {
    await client.end()
  }
}

/** The ids of all messages that a restored copy has, in their order, with the bodies that this test has sent. */
async function messagesOf(dataDir: string): Promise<string[]> {
  const copy = await startServer({ root, dataDir, args: ['--no-app'] })
  try {
    const ann = await signInAgain(copy, 'ann')
    const { data: rows, error } = await ann
      .from('messages')
      .select('id, body')
      .like('body', 'Message %')
      .order('seq')
    if (error) throw error
    const found = rows as { id: string; body: string }[]
    expect(found.map(({ body }) => body)).toEqual(found.map((_, at) => `Message ${at + 1}`))
    return found.map(({ id }) => id)
  } finally {
    await copy.end('SIGTERM')
  }
}

it('no acknowledged message is lost or stored twice after a killed backup and the loss of the data folder', async () => {
  await fillLinnetData(data.dir)
  server = await startServer({ root, dataDir: data.dir, args: ['--no-app'], env: environment })
  const { ann, channel } = await foundWorkspace(server)
  await send(ann, channel, 5)
  await linnet('backup', '--data', data.dir, '--to', backups.dir)
  await send(ann, channel, 5)
  await killBackup()
  await send(ann, channel, 5)
  const before = acknowledged.length
  const moment = new Date()
  // A commit belongs to the moment if it is not later than it, in whole milliseconds.
  while (Date.now() <= moment.getTime() + 1) await new Promise((resolve) => setImmediate(resolve))
  await send(ann, channel, 5)
  await waitForArchive(server.dbUrl)

  await server.end('SIGKILL')
  server = null
  rmSync(data.dir, { recursive: true, force: true })

  const copies = temporaryData()
  try {
    const [latest, earlier] = [join(copies.dir, 'latest'), join(copies.dir, 'earlier')]
    const output = await linnet('restore', backups.dir, '--data', latest)
    expect(output).toContain('confirm that the original is gone')
    expect(await messagesOf(latest)).toEqual(acknowledged)
    await linnet('restore', backups.dir, '--at', moment.toISOString(), '--data', earlier)
    expect(await messagesOf(earlier)).toEqual(acknowledged.slice(0, before))
    expect(readdirSync(copies.dir).toSorted()).toEqual(['earlier', 'latest'])
    expect(existsSync(join(latest, 'restored.json'))).toBe(true)
  } finally {
    copies.remove()
  }
})
