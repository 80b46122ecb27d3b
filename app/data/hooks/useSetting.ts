import { useRef, useState } from 'react'
import type { Outcome } from '../failures/failures.ts'

export interface Setting<V> {
  /** The choice that is being saved, else the saved one. */
  value: V
  failure: string | null
  choose: (value: V) => void
}

/**
 * State of a setting that is saved once it is chosen. Each choice is displayed at once. A choice made while another one is
 * being saved is saved after it; of several such choices only the last. After a failure the saved value is displayed again.
 *
 * @param saved - The value that the store holds. `save` has changed it before its outcome arrives.
 */
export function useSetting<V>(saved: V, save: (value: V) => Promise<Outcome<unknown>>): Setting<V> {
  const [chosen, setChosen] = useState<{ value: V } | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  /** The last choice; null while nothing is being saved. */
  const last = useRef<{ value: V } | null>(null)

  async function saveUntilLast(choice: { value: V }): Promise<void> {
    let saving = choice
    let outcome = await save(saving.value)
    while (last.current && last.current !== saving) {
      saving = last.current
      outcome = await save(saving.value)
    }
    last.current = null
    setChosen(null)
    setFailure(outcome.ok ? null : outcome.failure.message)
  }

  return {
    value: chosen ? chosen.value : saved,
    failure,
    choose: (value) => {
      const isSaving = last.current !== null
      const choice = { value }
      last.current = choice
      setChosen(choice)
      setFailure(null)
      if (!isSaving) void saveUntilLast(choice)
    },
  }
}
