import { configureGlobal } from 'fast-check'
import { vi } from 'vitest'
import { testSeed } from './random.ts'

// fast-check would take its seed from the clock. It prints the seed of a property that fails.
configureGlobal({ seed: testSeed })

/** As for `expect.poll`, which vitest.config.ts sets. */
const defaultTimeoutMs = 240_000

const { waitFor } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: defaultTimeoutMs, ...options })
