import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import { startServer, temporaryData } from '../tests/support/server.ts'
import type { Commands } from '../wire/commands.ts'
import { percentile } from './scroll/inPage.ts'
import { seedLongChannel } from './scroll/seedLongChannel.ts'
import type { AddRow, BenchRow } from './table.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const ROUNDS = 40
/** The calls that must stay below 5 ms. */
const goals = new Set(['inbox of threads', 'files with one letter', 'browse 200 channels'])

type Call = { [N in keyof Commands]: { name: N; args: Commands[N]['args'] } }[keyof Commands]

/** Requests that users wait for in a channel; `last` is its newest seq. */
function inChannel(channel: string, last: number): Record<string, (n: number) => Call> {
  return {
    'newest page': () => ({ name: 'channel_page', args: { channel } }),
    'page around the middle': (n) => ({
      name: 'channel_page',
      args: { channel, around: Math.floor(last / 2) + n },
    }),
    send: (n) => ({
      name: 'send_message',
      args: { id: randomUUID(), channel, body: `The van comes at ${n}` },
    }),
    'mark all as unread': () => ({ name: 'mark_unread', args: { channel, seq: 1 } }),
  }
}

/**
 * Measures how latency grows with the number of messages. It sends the same requests alternately in channels of ten
 * thousand, a hundred thousand and a million messages. It also measures the calls that read the whole workspace,
 * after each of these channels was added.
 */
export async function run(add: AddRow): Promise<void> {
  const data = temporaryData()
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--no-app', '--demo', '--db-port', '0'],
  })
  try {
    const open = (key: string) =>
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
    const { error } = await ann.auth.verifyOtp({
      token_hash: made.data.properties.hashed_token,
      type: 'email',
    })
    if (error) throw error
    const sendRequest = async ({ name, args }: Call): Promise<unknown> => {
      const answer = await ann.rpc(name, args)
      if (answer.error) throw answer.error
      return answer.data
    }
    /** Milliseconds of each request by round, alternately, so that other load on the machine affects all. */
    const interleaved = async (calls: ((n: number) => Call)[]): Promise<number[]> => {
      const times = calls.map((): number[] => [])
      for (let n = 0; n < ROUNDS; n += 1) {
        for (const [at, call] of calls.entries()) {
          const start = performance.now()
          await sendRequest(call(n))
          times[at]!.push(performance.now() - start)
        }
      }
      return times.map((of) => percentile(of, 0.5))
    }

    const { workspace } = (await sendRequest({
      name: 'bootstrap',
      args: {},
    })) as Commands['bootstrap']['response']
    const inWorkspace = { workspace: workspace!.id }
    const overall: Record<string, (n: number) => Call> = {
      'start (bootstrap)': () => ({ name: 'bootstrap', args: {} }),
      heartbeat: () => ({ name: 'heartbeat', args: { ...inWorkspace, state: 'active' } }),
      'inbox of threads': () => ({ name: 'thread_inbox', args: inWorkspace }),
      'files with one letter': (n) => ({
        name: 'list_files',
        args: { ...inWorkspace, query: n % 2 === 0 ? 'p' : 'z' },
      }),
      'browse 200 channels': () => ({ name: 'browse_channels', args: inWorkspace }),
    }
    await addChannels(server.dbUrl, 200)
    const channels: string[] = []
    const around: number[][] = []
    for (const size of SIZES) {
      channels.push(await seedLongChannel(server.dbUrl, size, `of-${size}`))
      await followThreads(server.dbUrl)
      await sendRequest({ name: 'mark_unread', args: { channel: channels.at(-1)!, seq: 1 } })
      around.push(await interleaved(Object.values(overall)))
    }
    for (const [at, what] of Object.keys(overall).entries()) {
      add(
        rowOf(
          what,
          around.map((times) => times[at]!),
        ),
      )
    }
    const forms = channels.map((channel, at) => inChannel(channel, SIZES[at]!))
    for (const what of Object.keys(forms[0]!)) {
      add(rowOf(what, await interleaved(forms.map((form) => form[what]!))))
    }
  } finally {
    await server.end('SIGTERM')
    data.remove()
  }
}

/** Runs SQL as the owner, without broadcasting each row. */
async function seed(dbUrl: string, statements: string[]): Promise<void> {
  const client = new Client(dbUrl)
  await client.connect()
  try {
    await client.query(`set session_replication_role = 'replica'`)
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Adds public channels, of which everyone is a member. */
const addChannels = (dbUrl: string, count: number): Promise<void> =>
  seed(dbUrl, [
    `insert into public.channels (id, workspace_id, kind, name, topic, created_by)
     select gen_random_uuid(), m.workspace_id, 'public', 'ward ' || n, 'Samples and rounds', m.profile_id
     from public.workspace_members m, generate_series(1, ${count}) n where m.role = 'owner'`,
    `insert into public.channel_counters (channel_id)
     select c.id from public.channels c where c.name like 'ward %' on conflict do nothing`,
    `insert into public.channel_members (channel_id, profile_id)
     select c.id, m.profile_id from public.channels c, public.workspace_members m
     where c.name like 'ward %' and m.state = 'active'`,
    'analyze public.channels, public.channel_members',
  ])

/** The owner follows a thousand threads, the most that a person follows, each third one with an unread reply. */
const followThreads = (dbUrl: string): Promise<void> =>
  seed(dbUrl, [
    `insert into public.thread_members
       (root_id, profile_id, last_read_thread_seq, read_version)
     select h.id, m.profile_id, h.last_thread_seq - (h.seq % 3 = 0)::int, 1
     from public.messages h, public.workspace_members m
     where m.role = 'owner' and h.reply_count > 0 order by h.last_reply_at desc limit 1000 on conflict do nothing`,
    'analyze public.thread_members, public.listed_files',
  ])

const rowOf = (what: string, [smallest = 0, middle = 0, largest = 0]: number[]): BenchRow => ({
  what: `${what} at a million messages, p50`,
  ...(goals.has(what) && { goal: '≤ 5 ms, ≤ 1.2×' }),
  value: largest,
  unit: 'ms',
  ratio: largest / smallest,
  against: `${smallest.toFixed(1)} ms at ten thousand`,
  also: { 'ms at a hundred thousand': middle },
})
