import { afterAll, beforeAll, expect, it } from 'vitest'
import { everything } from './support/everything.ts'
import { sendMalformed } from './support/malformed.ts'
import { signIn } from './support/person.ts'
import { startAuth, startDatabase, type AuthDatabase, type AuthServer } from './support/startAuth.ts'

let database: AuthDatabase
let server: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  server = await startAuth(database, everything)
})
afterAll(async () => {
  await server.stop()
  await database.stop()
})

// Ten thousand of them: npm run fuzz
it('answers nothing with a failure of its own, whatever is asked', async () => {
  await sendMalformed(server, await signIn(server), { runs: 150 })
  expect(server.logged.filter((line) => line.includes('auth.request_failed'))).toEqual([])
})
