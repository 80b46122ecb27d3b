import { afterAll, beforeAll, expect, it } from 'vitest'
import { fullConfig } from './support/fullConfig.ts'
import { sendMalformedRequests } from './support/sendMalformedRequests.ts'
import { signIn } from './support/testUser.ts'
import { startAuth, startDatabase, type AuthDatabase, type AuthServer } from './support/startAuth.ts'

let database: AuthDatabase
let server: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  server = await startAuth(database, fullConfig)
})
afterAll(async () => {
  await server.stop()
  await database.stop()
})

// For ten thousand requests:
it('responds to no malformed request with 5xx or internal details', async () => {
  await sendMalformedRequests(server, await signIn(server), { runs: 150 })
  expect(server.logged.filter((line) => line.includes('auth.request_failed'))).toEqual([])
})
