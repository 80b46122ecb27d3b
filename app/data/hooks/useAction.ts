import { useState } from 'react'
import type { Failure, Outcome } from '../failures/failures.ts'

export interface Action {
  busy: boolean
  failure: string | null
  /** The failure with its name and waiting time. */
  refused: Failure | null
  /** Runs one action at a time. Returns its value, or undefined if it failed. */
  run: <T>(action: () => Promise<Outcome<T>>) => Promise<{ value: T } | undefined>
}

/** State of a form's action: busy, failure and the function that runs it. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Failure | null>(null)
  return {
    busy,
    failure: refused?.message ?? null,
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
