import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import type { Claims } from '../../wire/claims.ts'
import { startServer, temporaryData, type Server } from '../../tests/support/server.ts'
import type { BenchRow } from '../table.ts'
import { callerSettings } from './callerSettings.ts'
import { inTurns, median, ratioOf } from './inTurns.ts'
import { openLoader } from './openLoader.ts'
import { renderRequest } from './renderRequest.ts'

/** A public channel of the demo and how far its timeline goes. */
export interface Place {
  channel: string
  lastSeq: number
}

export interface Comparison {
  what: string
  concurrency: number
  request: (n: number, places: Place[]) => { method: string; path: string; body?: string }
  statement: { name: string; text: string; values: (n: number, places: Place[]) => unknown[] }
}

const ROUNDS = 5
const ROUND_MS = 2_000
/** Requests made for a round: more than it can answer, as some may not be sent twice. */
const REQUESTS = 12_000

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
  // One person sends here what many would.
  await client.query(`delete from public.settings where key = 'rate_limits'`)
  await client.end()
  return rows
}

/**
 * Measures requests to `/rest/v1` and the same transactions by raw pg in turns, so that what else the machine
 * does meets both, and compares the medians. Linnet's own schema, policies and demo, as Ann; server and load
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
    const places = await findPlaces(server.dbUrl)
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
      const { method, path } = request(0, places)
      const settings = callerSettings({ claims, method, path, headers })
      const { rest, raw } = await inTurns(
        loader,
        {
          rest: (ms) => ({
            kind: 'http',
            url: server.url,
            concurrency,
            ms,
            requests: each((n) => renderRequest({ url: server.url, headers, ...request(n, places) })),
          }),
          raw: (ms) => ({
            kind: 'raw',
            dbUrl: server.dbUrl,
            concurrency,
            ms,
            settings,
            ...statement,
            values: each((n) => statement.values(n, places)),
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
