import { failureFrom } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'

/** Runs an action; a thrown error becomes its failure. */
export async function attempt<T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await run()
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
