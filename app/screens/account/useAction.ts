import { useState } from 'react'
import type { Failure, Outcome } from '../../data/failures/failures.ts'

export interface Action {
  busy: boolean
  failure: string | null
  /** The same with its name, and how long to wait. */
  refused: Failure | null
  /** Does one thing at a time; answers its value, or undefined when it failed. */
  run: <T>(action: () => Promise<Outcome<T>>) => Promise<{ value: T } | undefined>
}

/** Keeps what a form needs to know about the answer it awaits. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Failure | null>(null)
  return {
    busy,
    failure: refused?.sentence ?? null,
    refused,
    run: async (action) => {
      if (busy) return undefined
      setBusy(true)
      setRefused(null)
      const outcome = await action()
      setBusy(false)
      if (outcome.ok) return { value: outcome.value }
      setRefused(outcome.failure)
      return undefined
    },
  }
}
