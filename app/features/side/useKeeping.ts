import { i18n } from '@lingui/core'
import type { Outcome } from '../../data/failures/failures.ts'
import { useNotice } from '../../ui/notice.ts'

type Ask = () => Promise<Outcome<unknown>>

/** Changes one of the person's own rows optimistically, and shows a toast when the change is refused. */
export function useKeeping(): (ask: Ask) => void {
  const notice = useNotice()
  return (ask) => {
    ask().then(
      (outcome) => {
        if (!outcome.ok) notice({ words: outcome.failure.sentence })
      },
      () => notice({ words: i18n._('This part of Linnet couldn’t load. Try again.') }),
    )
  }
}
