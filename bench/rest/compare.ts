import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Client, type QueryConfig } from 'pg'
import { WebSocket } from 'ws'
import type { Claims } from '../../wire/claims.ts'
import { startServer, temporaryData, type Server } from '../../tests/support/server.ts'
import type { BenchRow } from '../table.ts'
import { httpLoad } from './httpLoad.ts'
import { rawLoad } from './rawLoad.ts'

/** A public channel of the demo and how far its timeline goes. */
export interface Place {
  channel: string
  lastSeq: number
}

export interface Comparison {
  what: string
  concurrency: number
  request: (n: number, places: Place[]) => { method: string; path: string; body?: string }
  statement: (n: number, places: Place[]) => QueryConfig
}

const ROUNDS = 5
const ROUND_MS = 2_000

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** Signs Ann of the demo in and answers her access token. */
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

async function findPlaces(dbUrl: string): Promise<Place[]> {
  const client = new Client(dbUrl)
  await client.connect()
  const { rows } = await client.query<Place>(
    `select c.id as channel, k.last_seq::int as "lastSeq" from public.channels c
     join public.channel_counters k on k.channel_id = c.id
     where c.kind = 'public' and c.posting = 'everyone' and k.last_seq > 60 order by c.name`,
  )
  await client.end()
  return rows
}

/**
 * Measures requests to `/rest/v1` and the same transactions by raw pg in turns, so that what else the machine
 * does meets both, and compares the medians. Linnet's own schema, policies and demo, as Ann; the server runs in
 * a process of its own.
 */
export async function compare(comparisons: Comparison[]): Promise<BenchRow[]> {
  const root = process.cwd()
  const data = temporaryData()
  const server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0', '--demo'],
  })
  try {
    const token = await signIn(server)
    const places = await findPlaces(server.dbUrl)
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Claims
    const headers = {
      apikey: server.publishableKey,
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    }
    const settings = {
      'request.jwt.claims': JSON.stringify(claims),
      search_path: '"public", "extensions"',
      'request.method': 'GET',
      'request.path': '/messages',
      'request.headers': JSON.stringify(headers),
      'request.cookies': '{}',
      role: 'authenticated',
    }
    const rows: BenchRow[] = []
    for (const { what, concurrency, request, statement } of comparisons) {
      const rest: number[] = []
      const raw: number[] = []
      let n = 0
      for (let round = 0; round <= ROUNDS; round++) {
        const ms = round === 0 ? 500 : ROUND_MS
        const next = (): ReturnType<Comparison['request']> & { headers: Record<string, string> } => ({
          ...request(n++, places),
          headers,
        })
        const byRest = await httpLoad({ url: server.url, concurrency, ms, next })
        const byRaw = await rawLoad({
          dbUrl: server.dbUrl,
          concurrency,
          ms,
          settings,
          next: () => statement(n++, places),
        })
        if (round === 0) continue
        rest.push(byRest)
        raw.push(byRaw)
      }
      rows.push({
        what: `${what}, concurrency ${concurrency}`,
        value: median(rest),
        unit: '/s',
        ratio: median(rest.map((rate, i) => rate / raw[i]!)),
        against: `${Math.round(median(raw)).toLocaleString('en')}/s of the same transaction by raw pg`,
      })
    }
    return rows
  } finally {
    await server.end('SIGTERM')
    data.remove()
  }
}
