import { createRequire } from 'node:module'
import { createThread } from '../../runtime/createThread.ts'

const library = createRequire(import.meta.url).resolve('bcryptjs')

const thread = createThread<[stored: string, password: string], boolean>(
  `([stored, password]) => require(${JSON.stringify(library)}).compareSync(password, stored)`,
)

/**
 * Whether the password matches a bcrypt hash. Takes 100 ms of JavaScript at the usual cost, so it runs in its
 * own thread.
 */
export function verifyBcrypt(stored: string, password: string): Promise<boolean> {
  return thread.run([stored, password])
}
