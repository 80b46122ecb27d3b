import { configureGlobal } from 'fast-check'
import { vi } from 'vitest'

/** Property tests are reproducible: fast-check would take its seed from the clock. Another one: `LINNET_SEED=2`. */
configureGlobal({ seed: Number(process.env['LINNET_SEED'] ?? 1) })

/** As for `expect.poll`, which vitest.config.ts sets. */
const defaultTimeoutMs = 60_000

const { waitFor } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: defaultTimeoutMs, ...options })
