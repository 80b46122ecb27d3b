import { createRequire } from 'node:module'
import { createThread } from './createThread.ts'

const library = createRequire(import.meta.url).resolve('bcryptjs')

const compare = createThread<[stored: string, password: string], boolean>(
  `([stored, password]) => require(${JSON.stringify(library)}).compareSync(password, stored)`,
)

/** Whether the password fits a bcrypt hash: 100 ms of JavaScript for the usual cost, in a thread of its own. */
export function fitsBcrypt(stored: string, password: string): Promise<boolean> {
  return compare([stored, password])
}
