import { afterAll, beforeAll, beforeEach } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RequestOptions, RestServer, RestResponse } from './startRest.ts'

/** A server whose table `items` has the rows 'one' and 'two' before each test. */
export interface Items {
  /** Started before the first test. */
  server: () => RestServer
  write: (
    method: string,
    path: string,
    body: unknown,
    prefer?: string,
    more?: RequestOptions,
  ) => Promise<RestResponse>
  /** The names of the items, by id. */
  names: () => Promise<string[]>
}

/** Starts the server for the tests of a file. `schema`: SQL that runs after the fixture. */
export function useItems(schema = ''): Items {
  let server: RestServer
  beforeAll(async () => {
    server = await startRest(fixture + schema)
  })
  afterAll(() => server?.stop())
  beforeEach(() =>
    server.owner.query(`truncate items restart identity; insert into items (name) values ('one'), ('two')`),
  )
  return {
    server: () => server,
    write: (method, path, body, prefer = '', more = {}) =>
      server.request(path, {
        method,
        body,
        ...more,
        headers: { ...(prefer ? { Prefer: prefer } : {}), ...more.headers },
      }),
    names: async () => {
      const { rows } = await server.owner.query<{ name: string }>('select name from items order by id')
      return rows.map(({ name }) => name)
    },
  }
}
