import type { Client, QueryConfig } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../config/loadConfig.ts'
import { noLogger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import { restSettings } from '../settings/restSettings.ts'
import { loadSnapshot } from './loadSnapshot.ts'

let postgres: TemporaryPostgres
beforeAll(async () => {
  postgres = await temporaryPostgres()
})
afterAll(() => postgres?.stop())

it('the timeout of requests does not apply to the read of the schema', async () => {
  const pool = postgres.pool('authenticator', 1)
  const readTimeout = async (client: Pick<Client, 'query'>): Promise<string> =>
    (await client.query<{ statement_timeout: string }>('show statement_timeout')).rows[0]!.statement_timeout
  expect(await pool.withClient(readTimeout)).toBe('8s')
  const timeouts: string[] = []
  /** Reads the timeout before each statement after the first one, which begins the transaction. */
  const watchedPool: Pool = {
    ...pool,
    withClient: (work) =>
      pool.withClient(async (client) => {
        let isFirst = true
        const query = async (text: string | QueryConfig, values?: unknown[]): Promise<unknown> => {
          if (!isFirst) timeouts.push(await readTimeout(client))
          isFirst = false
          return client.query(text as string, values)
        }
        return work({ query } as unknown as Client)
      }),
  }
  const base = restSettings(loadConfig('/nowhere'))
  await loadSnapshot({ pool: watchedPool, base, log: noLogger }, null)
  expect(timeouts.length).toBeGreaterThan(5)
  expect(new Set(timeouts)).toEqual(new Set(['0']))
})
