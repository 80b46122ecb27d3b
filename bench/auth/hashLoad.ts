import { createPasswords } from '../../backend/auth/passwords/passwords.ts'
import { Latencies, type Load } from '../rest/Latencies.ts'

export interface HashTask {
  kind: 'hash'
  ms: number
  concurrency: number
  hash: string
  password: string
}

/** Verifies a password as sign-ins do, through the same queue, without HTTP or database. */
export async function hashLoad({ ms, concurrency, hash, password }: HashTask): Promise<Load> {
  const passwords = createPasswords()
  const latencies = new Latencies()
  const until = performance.now() + ms
  return latencies.during(() =>
    Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (let now = performance.now(); now < until;) {
          const begun = now
          if (!(await passwords.verify(hash, password))) throw new Error('The password does not match.')
          now = performance.now()
          latencies.add(now - begun)
        }
      }),
    ),
  )
}
