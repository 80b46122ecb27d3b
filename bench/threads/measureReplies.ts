import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { startServer, temporaryData } from '../../tests/support/server.ts'
import { createTimedClient } from '../client/callTimed.ts'
import { createWorkspace } from '../client/createWorkspace.ts'
import { cpuOfProcessTree } from '../load/usage.ts'
import { median } from '../rest/interleave.ts'
import type { AddRow } from '../table.ts'

const FEW = 2
const MANY = 2_000
const ROUNDS = 10
const REPLIES = 40
const BODY = 'A reply, as long as what people write to each other.'

/** The root of a thread with one reply, and what its replies have cost so far. */
interface Thread {
  root: string
  followers: number
  ms: number[]
  cpuMs: number
}

/**
 * Measures replies in a thread with two followers and in one with two thousand, alternately, in one channel whose members
 * are all present.
 */
export async function measureReplies(add: AddRow): Promise<void> {
  const data = temporaryData()
  const args = ['--no-app', '--db-port', '0']
  const server = await startServer({ root: process.cwd(), dataDir: data.dir, args })
  const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
  try {
    const { channels, callers } = await createWorkspace(pool, data.dir, {
      people: MANY,
      channels: 10,
      callers: 1,
    })
    const [channel, caller] = [channels[0]!, callers[0]!]
    const client = createTimedClient(server, caller.token)
    const send = (args: object) =>
      client.call('send_message', { id: randomUUID(), channel, body: BODY, ...args })
    const threads: Thread[] = []
    for (const followers of [FEW, MANY]) {
      const root = randomUUID()
      await send({ id: root })
      await send({ thread_root: root })
      threads.push({ root, followers, ms: [], cpuMs: 0 })
    }
    await addFollowers(pool, channel, caller.profile, threads)
    for (let round = 0; round <= ROUNDS; round++) {
      for (const thread of threads) {
        const before = cpuOfProcessTree(server.pids.db)
        const ms = []
        for (let n = 0; n < REPLIES; n++) ms.push((await send({ thread_root: thread.root })).ms)
        // In the first round, connections have no plans yet.
        if (round === 0) continue
        thread.ms.push(...ms)
        thread.cpuMs += (cpuOfProcessTree(server.pids.db) - before) / (ROUNDS * REPLIES)
      }
    }
    client.close()
    const [few, many] = threads as [Thread, Thread]
    add({
      what: `reply in a thread with ${MANY.toLocaleString('en')} followers, p50`,
      goal: '≤ 1.3×',
      value: median(many.ms),
      unit: 'ms',
      ratio: median(many.ms) / median(few.ms),
      against: `${median(few.ms).toFixed(2)} ms with ${FEW} followers`,
      also: {
        'ms of a core for PostgreSQL': many.cpuMs,
        '× its time with 2 followers': many.cpuMs / few.cpuMs,
      },
    })
  } finally {
    await pool.end()
    await server.end('SIGTERM')
    data.remove()
  }
}

/** Makes everyone a member of the channel, and some of them follow each thread besides its author. */
async function addFollowers(pool: Pool, channel: string, author: string, threads: Thread[]): Promise<void> {
  await pool.query('alter table public.channel_members disable trigger channel_memberships_are_broadcast')
  await pool.query('alter table public.thread_members disable trigger inserted_thread_states_are_broadcast')
  await pool.query(
    `insert into public.channel_members (channel_id, profile_id)
     select c.id, m.profile_id
     from public.channels c join public.workspace_members m on m.workspace_id = c.workspace_id
     where c.id = $1 on conflict do nothing`,
    [channel],
  )
  for (const { root, followers } of threads)
    await pool.query(
      `insert into public.thread_members (root_id, profile_id, last_read_thread_seq, read_version)
       select $1, m.profile_id, 1, 1 from public.channel_members m
       where m.channel_id = $2 and m.profile_id <> $3 limit $4 on conflict do nothing`,
      [root, channel, author, followers - 1],
    )
  await pool.query('alter table public.channel_members enable trigger channel_memberships_are_broadcast')
  await pool.query('alter table public.thread_members enable trigger inserted_thread_states_are_broadcast')
  await pool.query('vacuum analyze')
}
