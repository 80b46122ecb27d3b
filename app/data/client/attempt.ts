import { failureFrom } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'

/** Runs what may throw, and answers with the failure instead. */
export async function attempt<T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await run()
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
