import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import type { Options } from '@node-rs/argon2'
import { createThread } from './createThread.ts'

/** Leaves one core for everything else, and threads of the pool for file system and DNS calls. */
export const hashesAtOnce = Math.min(3, Math.max(1, availableParallelism() - 1))

type Work =
  | [deed: 'hash', password: string, options: Options]
  | [deed: 'fits', stored: string, password: string]

const library = createRequire(import.meta.url).resolve('@node-rs/argon2')

const threads = Array.from({ length: hashesAtOnce }, () => ({
  busy: 0,
  run: createThread<Work, string | boolean>(
    `(([deed, first, second]) => {
      const { hashSync, verifySync } = require(${JSON.stringify(library)})
      return deed === 'hash' ? hashSync(first, second) : verifySync(first, second)
    })`,
  ),
}))

/** Runs in the least busy thread. */
async function work(task: Work): Promise<string | boolean> {
  const thread = threads.reduce((least, one) => (one.busy < least.busy ? one : least))
  thread.busy++
  try {
    return await thread.run(task)
  } finally {
    thread.busy--
  }
}

/** The `$argon2id$…` hash of a password. */
export async function hashByArgon2(password: string, options: Options): Promise<string> {
  return (await work(['hash', password, options])) as string
}

/** Whether the password matches an argon2 hash. Throws if the hash is invalid. */
export async function fitsArgon2(stored: string, password: string): Promise<boolean> {
  return (await work(['fits', stored, password])) as boolean
}
