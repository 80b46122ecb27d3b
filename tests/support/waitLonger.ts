import { vi } from 'vitest'

/** As for `expect.poll`, which vitest.config.ts sets: one second is too short where all cores are busy. */
const defaultTimeoutMs = 10_000

const { waitFor } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: defaultTimeoutMs, ...options })
