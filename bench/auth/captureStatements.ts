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

/** What goes to the database in one write. */
export type Flight = Statement[]

/** What one refresh and one `GET /user` send to the database, in order, told by the service itself. */
export interface Captured {
  refresh: Flight[]
  user: Flight[]
  /** What is to be put in the place of what these statements were sent with. */
  stands: { token: string; next: string; session: string; person: string }
}

/** Sends both through the service, on a session that stands in `config`'s database, and listens to its connection. */
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
  const listen = async <T>(work: () => Promise<T>): Promise<{ heard: Flight[]; answer: T }> => {
    const heard: Flight[] = []
    const spoken = Client.prototype.query
    Client.prototype.query = function (this: Client, query: object) {
      if (!(query instanceof TransactionQuery)) throw new Error('A statement travels alone.')
      heard.push(
        query.statements.map(({ name, text, values }) => ({
          ...(name && { name }),
          text,
          values: values ?? [],
        })),
      )
      return Reflect.apply(spoken, this, [query])
    } as typeof spoken
    try {
      return { answer: await work(), heard }
    } finally {
      Client.prototype.query = spoken
    }
  }
  try {
    const refreshed = await listen(async () => {
      const answer = await gateway.request('/token?grant_type=refresh_token', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'bench' },
        body: JSON.stringify({ refresh_token: o.token }),
      })
      if (answer.status !== 200) throw new Error(await answer.text())
      return (await answer.json()) as { access_token: string; refresh_token: string }
    })
    bearer = refreshed.answer.access_token
    const user = await listen(() => Promise.resolve(gateway.request('/user')))
    if (user.answer.status !== 200) throw new Error(await user.answer.text())
    const { token, session, person } = o
    return {
      refresh: refreshed.heard,
      user: user.heard,
      stands: { token, next: refreshed.answer.refresh_token, session, person },
    }
  } finally {
    await service.close()
    await pool.end()
  }
}
