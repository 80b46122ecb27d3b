import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import type { Options } from '@node-rs/argon2'
import { createThread } from '../../runtime/createThread.ts'

/** Leaves one core for everything else, and threads of the pool for file system and DNS calls. */
export const maxConcurrentHashes = Math.min(3, Math.max(1, availableParallelism() - 1))

type ThreadInput =
  | [operation: 'hash', password: string, options: Options]
  | [operation: 'verify', stored: string, password: string]

const library = createRequire(import.meta.url).resolve('@node-rs/argon2')

const threads = Array.from({ length: maxConcurrentHashes }, () => ({
  busy: 0,
  run: createThread<ThreadInput, string | boolean>(
    `(([operation, first, second]) => {
      const { hashSync, verifySync } = require(${JSON.stringify(library)})
      return operation === 'hash' ? hashSync(first, second) : verifySync(first, second)
    })`,
  ).run,
}))

/** Runs in the least busy thread. */
async function runInThread(task: ThreadInput): Promise<string | boolean> {
  const thread = threads.reduce((leastBusy, other) => (other.busy < leastBusy.busy ? other : leastBusy))
  thread.busy++
  try {
    return await thread.run(task)
  } finally {
    thread.busy--
  }
}

/** The `$argon2id$…` hash of a password. */
export async function hashWithArgon2(password: string, options: Options): Promise<string> {
  return (await runInThread(['hash', password, options])) as string
}

/** Whether the password matches an argon2 hash. Throws if the hash is invalid. */
export async function verifyArgon2(stored: string, password: string): Promise<boolean> {
  return (await runInThread(['verify', stored, password])) as boolean
}
