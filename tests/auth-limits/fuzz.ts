import { parseArgs } from 'node:util'
import { fullConfig } from '../integration/auth/support/fullConfig.ts'
import { sendMalformedRequests } from '../integration/auth/support/sendMalformedRequests.ts'
import { signIn } from '../integration/auth/support/testUser.ts'
import { startAuth, startDatabase } from '../integration/auth/support/startAuth.ts'

/**
 * Sends malformed requests to every route of the auth service: `npm run fuzz -- --runs 10000 --seed 1`. At the first
 * response that is a server error or reveals internals, it prints the request with the seed and exits with 1.
 */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
  })
  const database = await startDatabase()
  const server = await startAuth(database, fullConfig)
  try {
    const runs = Number(values.runs)
    const began = performance.now()
    console.log(`seed ${values.seed}`)
    await sendMalformedRequests(server, await signIn(server), { runs, seed: Number(values.seed) })
    console.log(`${runs} requests in ${Math.round((performance.now() - began) / 1000)} s, no fault`)
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  } finally {
    await server.stop()
    await database.stop()
  }
}
