import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPasswords } from '../../backend/auth/passwords/passwords.ts'
import { uniqueEmail, startAuth, startDatabase } from '../integration/auth/support/startAuth.ts'

const limits = '[auth.rate_limit]\ntoken_refresh = 1000000000\n'

/**
 * Signs in concurrently from as many clients: `npm run burst -- --sign-ins 1000`. It prints the counts of statuses
 * and the peak memory of this process (clients and service together). It also prints the delay of a 10 ms timer,
 * which is how long messages would have waited.
 */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { 'sign-ins': { type: 'string', default: '1000' } } })
  const count = Number(values['sign-ins'])
  const database = await startDatabase()
  const server = await startAuth(database, limits)
  try {
    const [email, password] = [uniqueEmail(), 'long enough']
    await database.admin.query(
      `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1, $2, now())`,
      [email, await createPasswords().hash(password)],
    )
    const mebibytes = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20)
    const idle = mebibytes()
    let peak = idle
    const delays: number[] = []
    const finished = new AbortController()
    const sampling = (async () => {
      while (!finished.signal.aborted) {
        const began = performance.now()
        await sleep(10)
        delays.push(performance.now() - began - 10)
        peak = Math.max(peak, mebibytes())
      }
    })()
    const began = performance.now()
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const headers = { 'x-forwarded-for': `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }
        const json = { email, password: 'not the one' }
        return (await server.request('/token?grant_type=password', { json, headers })).status
      }),
    )
    const seconds = (performance.now() - began) / 1000
    finished.abort()
    await sampling
    const counts = [...new Set(answers)].map(
      (status) => `${answers.filter((one) => one === status).length} × ${status}`,
    )
    delays.sort((a, b) => a - b)
    console.log(`${count} sign-ins at once: ${counts.join(', ')} in ${seconds.toFixed(1)} s`)
    console.log(`memory: ${idle} MiB before, ${peak} MiB peak`)
    console.log(`timer delay ${delays[Math.floor(delays.length * 0.99)]!.toFixed(1)} ms at p99`)
    return answers.every((status) => status === 400 || status === 429) ? 0 : 1
  } finally {
    await server.stop()
    await database.stop()
  }
}
