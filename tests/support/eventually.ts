import { expect } from 'vitest'

/** Asks again and again until the answer is what is expected; a busy machine has 20 s for it. */
export function eventually<T>(read: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: 20_000, interval: 50 })
}
