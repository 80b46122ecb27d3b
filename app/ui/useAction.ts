import { useState } from 'react'

/** Why an action failed. It may name the failure, or the field that caused it. */
interface ActionFailure {
  message: string
  name?: string
  field?: string
}

/** The outcome of an action. */
export type ActionOutcome<V> = { ok: true; value: V } | { ok: false; failure: ActionFailure }

/** Runs an action. Without an outcome it has neither succeeded nor failed. */
export type Run<V> = () => MaybeOutcome<V> | Promise<MaybeOutcome<V>>

type MaybeOutcome<V> = ActionOutcome<V> | null | undefined

/** Whether an action runs, why it failed, and the function that runs it. */
export interface Action {
  busy: boolean
  failure: string | null
  /** The failure with its name. */
  refused: ActionFailure | null
  /** Runs one action at a time. Returns its value, or undefined if it has not succeeded. */
  run: <V>(action: Run<V>) => Promise<{ value: V } | undefined>
  clearFailure: () => void
}

/** The state of an action that the reader starts. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<ActionFailure | null>(null)
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
      if (outcome?.ok) return { value: outcome.value }
      if (outcome) setRefused(outcome.failure)
      return undefined
    },
    clearFailure: () => setRefused(null),
  }
}
