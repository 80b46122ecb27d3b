import { expect } from 'vitest'

/** Polls until the value is as expected, for at most 20 s on a busy machine. */
export function eventually<T>(read: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: 20_000, interval: 50 })
}
