import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import type { Claims } from '../../wire/claims.ts'
import { startServer, temporaryData, type Server } from '../../tests/support/server.ts'
import type { BenchRow } from '../table.ts'
import { callerSettings } from './callerSettings.ts'
import { interleave, median, ratioOf } from './interleave.ts'
import { openLoader } from './openLoader.ts'
import { renderRequest } from './renderRequest.ts'

/** A public channel of the demo and its last seq. */
export interface TargetChannel {
  channel: string
  lastSeq: number
}

export interface Comparison {
  what: string
  concurrency: number
  request: (n: number, channels: TargetChannel[]) => { method: string; path: string; body?: string }
  statement: { name: string; text: string; values: (n: number, channels: TargetChannel[]) => unknown[] }
}

const ROUNDS = 5
const ROUND_MS = 2_000
/** Requests created for a round: more than can be answered, as some may not be sent twice. */
const REQUESTS = 12_000

/** Signs in as Ann of the demo and returns her access token. */
async function signIn(server: Server): Promise<string> {
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
  const { data, error } = await open(server.publishableKey).auth.verifyOtp({
    token_hash: made.data.properties.hashed_token,
    type: 'email',
  })
  if (error) throw error
  return data.session!.access_token
}

async function findChannels(dbUrl: string): Promise<TargetChannel[]> {
  const client = new Client(dbUrl)
  await client.connect()
  const { rows } = await client.query<TargetChannel>(
    `select c.id as channel, k.last_seq::int as "lastSeq" from public.channels c
     join public.channel_counters k on k.channel_id = c.id
     where c.kind = 'public' and c.posting = 'everyone' and k.last_seq > 60 order by c.name`,
  )
  // One user sends as much as many would.
  await client.query(`delete from public.settings where key = 'rate_limits'`)
  await client.end()
  return rows
}

/**
 * Measures requests to `/rest/v1` and the same transactions by raw pg alternately, so that other load on the
 * machine affects both, and compares the medians. Linnet's own schema, policies and demo, as Ann; server and load
 * run in processes of their own.
 */
export async function compare(comparisons: Comparison[]): Promise<BenchRow[]> {
  const root = process.cwd()
  const data = temporaryData()
  const server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0', '--demo'],
  })
  const loader = openLoader(root)
  try {
    const token = await signIn(server)
    const channels = await findChannels(server.dbUrl)
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Claims
    const headers = {
      apikey: server.publishableKey,
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    }
    const rows: BenchRow[] = []
    for (const { what, concurrency, request, statement } of comparisons) {
      let n = 0
      const each = <T>(make: (n: number) => T): T[] => Array.from({ length: REQUESTS }, () => make(n++))
      const { method, path } = request(0, channels)
      const settings = callerSettings({ claims, method, path, headers })
      const { rest, raw } = await interleave(
        loader,
        {
          rest: (ms) => ({
            kind: 'http',
            url: server.url,
            concurrency,
            ms,
            requests: each((n) => renderRequest({ url: server.url, headers, ...request(n, channels) })),
          }),
          raw: (ms) => ({
            kind: 'raw',
            dbUrl: server.dbUrl,
            concurrency,
            ms,
            settings,
            ...statement,
            values: each((n) => statement.values(n, channels)),
          }),
        },
        { rounds: ROUNDS, ms: ROUND_MS },
      )
      rows.push({
        what: `${what}, concurrency ${concurrency}`,
        value: median(rest.map(({ rate }) => rate)),
        unit: '/s',
        ratio: ratioOf(rest, raw),
        against: `${Math.round(median(raw.map(({ rate }) => rate))).toLocaleString('en')}/s of the same transaction by raw pg`,
      })
    }
    return rows
  } finally {
    await loader.close()
    await server.end('SIGTERM')
    data.remove()
  }
}
