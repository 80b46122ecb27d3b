import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { WebSocket } from 'ws'
import { startServer, temporaryData } from '../tests/support/server.ts'
import type { Commands } from '../wire/linnet.ts'
import { percentile } from './scroll/inPage.ts'
import { seedLongChannel } from './scroll/seedLongChannel.ts'
import type { BenchRow, BenchTable } from './table.ts'

const SIZES = [1_000, 100_000, 1_000_000]
const ROUNDS = 40

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
 * How latency grows with the number of messages: the same requests in channels of a thousand, a hundred thousand and a
 * million messages, alternately; and the cost of a start and of a heartbeat before and after.
 */
export async function run(): Promise<BenchTable> {
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
    const start = (): Call => ({ name: 'bootstrap', args: {} })
    const minute = (): Call => ({ name: 'heartbeat', args: { workspace: workspace!.id, state: 'active' } })
    const channels: string[] = []
    const around: number[][] = []
    for (const size of SIZES) {
      channels.push(await seedLongChannel(server.dbUrl, size, `of-${size}`))
      await sendRequest({ name: 'mark_unread', args: { channel: channels.at(-1)!, seq: 1 } })
      around.push(await interleaved([start, minute]))
    }
    const forms = channels.map((channel, at) => inChannel(channel, SIZES[at]!))
    const rows: BenchRow[] = []
    for (const what of Object.keys(forms[0]!)) {
      rows.push(rowOf(what, await interleaved(forms.map((form) => form[what]!))))
    }
    for (const [at, what] of ['start (bootstrap)', 'minute (beat)'].entries()) {
      rows.push(
        rowOf(
          what,
          around.map((times) => times[at]!),
        ),
      )
    }
    return { name: 'grow', rows }
  } finally {
    await server.end('SIGTERM')
    data.remove()
  }
}

const rowOf = (what: string, [smallest = 0, middle = 0, largest = 0]: number[]): BenchRow => ({
  what: `${what} at a million messages, p50`,
  value: largest,
  unit: 'ms',
  ratio: largest / smallest,
  against: `${smallest.toFixed(1)} ms at a thousand`,
  also: { 'ms at a hundred thousand': middle },
})
