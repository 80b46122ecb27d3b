import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createPasswords } from '../../backend/auth/passwords/passwords.ts'
import { uniqueEmail, startAuth, startDatabase } from '../integration/auth/support/startAuth.ts'
import { compareTimes } from './compareTimes.ts'

const config = `
[auth]
enable_signup = true
[auth.email]
enable_confirmations = true
max_frequency = "0s"
[auth.rate_limit]
sign_in_sign_ups = 1000000000
token_refresh = 1000000000
token_verifications = 1000000000
`

interface Route {
  path: string
  json(email: string): object
}

/** Every route that gets an email address. */
const routes: Route[] = [
  { path: '/token?grant_type=password', json: (email) => ({ email, password: 'not the one' }) },
  { path: '/signup', json: (email) => ({ email, password: 'long enough' }) },
  { path: '/otp', json: (email) => ({ email }) },
  { path: '/magiclink', json: (email) => ({ email }) },
  { path: '/recover', json: (email) => ({ email }) },
  { path: '/resend', json: (email) => ({ email, type: 'signup' }) },
  { path: '/verify', json: (email) => ({ email, type: 'email', token: '123456' }) },
]

/**
 * Tests whether response times or bodies reveal which addresses have an account: `npm run timing -- --samples 200`.
 * It sends known and unknown addresses alternately, each once. For each route it prints the medians in ms, and how
 * often a known address took longer than an unknown one (0.5: indistinguishable). It exits with 1 if this is outside
 * 0.35 to 0.65.
 */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { samples: { type: 'string', default: '200' } } })
  const samples = Number(values.samples)
  const database = await startDatabase()
  const server = await startAuth(database, config)
  let distinguishable = 0
  try {
    for (const route of routes) {
      const known = Array.from({ length: samples + 5 }, () => uniqueEmail('known'))
      await database.admin.query(
        `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
           confirmation_token, recovery_token, email_change_token_new, email_change, created_at, updated_at)
         select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', email,
           $2, now(), '', '', '', '', now(), now() from unnest($1::text[]) as email`,
        [known, await createPasswords().hash(randomUUID())],
      )
      const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
      const answers = { known: new Set<string>(), unknown: new Set<string>() }
      for (const [i, email] of known.entries()) {
        // Alternates which is first: the second of a pair may be slower or faster for that reason alone.
        const order = i % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
        for (const kind of order) {
          const json = route.json(kind === 'known' ? email : uniqueEmail('unknown'))
          const began = performance.now()
          const response = await server.request(route.path, { json })
          const answer = await response.text()
          const took = performance.now() - began
          answers[kind].add(`${response.status} ${withoutVariableParts(answer)}`)
          if (i >= 5) times[kind].push(took)
        }
      }
      const { share, medians } = compareTimes(times.known, times.unknown)
      const sameResponses = [...answers.known].toString() === [...answers.unknown].toString()
      const passes = share > 0.35 && share < 0.65 && sameResponses
      if (!passes) distinguishable++
      const responses = sameResponses
        ? 'same bodies'
        : `${[...answers.known].join(' | ')} <> ${[...answers.unknown].join(' | ')}`
      console.log(
        `${passes ? 'ok  ' : 'FAIL'} ${route.path.padEnd(28)} known ${medians[0].toFixed(1)} ms, unknown ${medians[1].toFixed(1)} ms, ${share.toFixed(2)}; ${responses}`,
      )
    }
  } finally {
    await server.stop()
    await database.stop()
  }
  return distinguishable === 0 ? 0 : 1
}

/** Removes the parts of a response that always differ: ids, addresses, times. */
function withoutVariableParts(answer: string): string {
  return answer
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/(known|unknown)-[\w-]+@example\.com/g, '<address>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.+Z-]+/g, '<time>')
}
