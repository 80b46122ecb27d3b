import { useState } from 'react'
import type { Outcome } from '../../data/failures.ts'

export interface Action {
  busy: boolean
  failure: string | null
  /** Does one thing at a time; answers its value, or undefined when it failed. */
  run: <T>(deed: () => Promise<Outcome<T>>) => Promise<{ value: T } | undefined>
}

/** Keeps what a form needs to know about the answer it awaits. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  return {
    busy,
    failure,
    run: async (deed) => {
      if (busy) return undefined
      setBusy(true)
      setFailure(null)
      const outcome = await deed()
      setBusy(false)
      if (outcome.ok) return { value: outcome.value }
      setFailure(outcome.failure.sentence)
      return undefined
    },
  }
}
