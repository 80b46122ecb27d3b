import { createContext, use } from 'react'

/** The failure of a form that one of its fields caused. */
export interface FieldFailure {
  /** The name of the field. */
  field: string
  message: string
}

export const FieldFailureContext = createContext<FieldFailure | null>(null)

/** The message of the form's failure if this field caused it. */
export function useFieldFailure(name: string | undefined): string | null {
  const failure = use(FieldFailureContext)
  return failure && failure.field === name ? failure.message : null
}

/** The outcome of an action that failed, because of one field if one is named. */
export function formFailure(message: string, field = ''): { ok: false; failure: FieldFailure } {
  return { ok: false, failure: { message, field } }
}
