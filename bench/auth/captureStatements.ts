import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { Client, type ClientConfig } from 'pg'
import { createAuthService } from '../../backend/auth/createAuthService.ts'
import { createKeys, loadKeys } from '../../backend/auth/tokens/keys.ts'
import { loadConfig } from '../../backend/config/loadConfig.ts'
import { createLogger } from '../../backend/logging/logger.ts'
import { createPool } from '../../backend/postgres/connections/pool.ts'
import { TransactionQuery } from '../../backend/postgres/connections/TransactionQuery.ts'
import type { ServiceEnv } from '../../wire/claims.ts'

export interface Statement {
  name?: string
  text: string
  values: unknown[]
}

/** Statements sent to the database in one write. */
export type Pipeline = Statement[]

/** The statements that one refresh and one `GET /user` send to the database, captured from the service. */
export interface Captured {
  refresh: Pipeline[]
  user: Pipeline[]
  /** Values of the captured statements that are replaced in each run. */
  placeholders: { token: string; next: string; session: string; person: string }
}

/** Sends both requests to the service, for a session in `config`'s database, and captures their statements. */
export async function captureStatements(
  config: ClientConfig,
  o: { supabaseDir: string; token: string; session: string; person: string },
): Promise<Captured> {
  const keys = await loadKeys(await createKeys())
  const pool = createPool(config, { max: 1, name: 'bench' })
  const log = createLogger({ format: 'json', minLevel: 'error', write: (line) => process.stderr.write(line) })
  const url = 'http://127.0.0.1'
  const service = createAuthService({
    pool,
    openPool: () => pool,
    keys,
    config: loadConfig(o.supabaseDir),
    extensions: [],
    siteUrl: url,
    publicUrl: url,
    log,
  })
  const gateway = new Hono<ServiceEnv>()
  let bearer: string | null = null
  gateway.use(async (c, next) => {
    c.set('apiCaller', { role: 'anon', claims: { role: 'anon' }, claimsJson: '{"role":"anon"}' })
    c.set('bearer', bearer)
    c.set('requestId', randomUUID())
    await next()
  })
  gateway.route('/', service.app)
  const capture = async <T>(work: () => Promise<T>): Promise<{ pipelines: Pipeline[]; answer: T }> => {
    const pipelines: Pipeline[] = []
    const originalQuery = Client.prototype.query
    Client.prototype.query = function (this: Client, query: object) {
      if (!(query instanceof TransactionQuery)) throw new Error('A statement was sent outside of a pipeline.')
      pipelines.push(
        query.statements.map(({ name, text, values }) => ({
          ...(name && { name }),
          text,
          values: values ?? [],
        })),
      )
      return Reflect.apply(originalQuery, this, [query])
    } as typeof originalQuery
    try {
      return { answer: await work(), pipelines }
    } finally {
      Client.prototype.query = originalQuery
    }
  }
  try {
    const refreshed = await capture(async () => {
      const answer = await gateway.request('/token?grant_type=refresh_token', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'bench' },
        body: JSON.stringify({ refresh_token: o.token }),
      })
      if (answer.status !== 200) throw new Error(await answer.text())
      return (await answer.json()) as { access_token: string; refresh_token: string }
    })
    bearer = refreshed.answer.access_token
    const user = await capture(() => Promise.resolve(gateway.request('/user')))
    if (user.answer.status !== 200) throw new Error(await user.answer.text())
    const { token, session, person } = o
    return {
      refresh: refreshed.pipelines,
      user: user.pipelines,
      placeholders: { token, next: refreshed.answer.refresh_token, session, person },
    }
  } finally {
    await service.close()
    await pool.end()
  }
}
