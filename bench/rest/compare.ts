import { SignJWT } from 'jose'
import type { QueryConfig } from 'pg'
import { startServer, temporaryData } from '../../tests/support/server.ts'
import type { BenchRow } from '../table.ts'
import { httpLoad } from './httpLoad.ts'
import { rawLoad } from './rawLoad.ts'

export interface Comparison {
  what: string
  concurrency: number
  request: (n: number) => { method: string; path: string; body?: string }
  statement: (n: number) => QueryConfig
}

const ROUNDS = 5
const ROUND_MS = 2_000

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/**
 * Measures requests to `/rest/v1` and the same transactions by raw pg in turns, so that what else the
 * machine does meets both, and compares the medians. The server runs in a process of its own.
 */
export async function compare(comparisons: Comparison[]): Promise<BenchRow[]> {
  const root = process.cwd()
  const data = temporaryData()
  const server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0', '--supabase', `${root}/bench/rest/supabase`],
  })
  try {
    const claims = {
      role: 'authenticated',
      sub: '00000000-0000-4000-8000-000000000001',
      aud: 'authenticated',
    }
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(server.jwtSecret))
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
          ...request(n++),
          headers,
        })
        const byRest = await httpLoad({ url: server.url, concurrency, ms, next })
        const byRaw = await rawLoad({
          dbUrl: server.dbUrl,
          concurrency,
          ms,
          settings,
          next: () => statement(n++),
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
