import { i18n } from '@lingui/core'
import type { Outcome } from '../../../data/failures/failures.ts'
import { useToast } from '../../../ui/toast.ts'

type Action = () => Promise<Outcome<unknown>>

/** Changes one of the user's own rows optimistically, and shows a toast when the change fails. */
export function useToastOnError(): (action: Action) => void {
  const showToast = useToast()
  return (action) => {
    action().then(
      (outcome) => {
        if (!outcome.ok) showToast({ text: outcome.failure.message })
      },
      () => showToast({ text: i18n._('This part of Linnet couldn’t load. Try again.') }),
    )
  }
}
