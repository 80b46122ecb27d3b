import { i18n } from '@lingui/core'
import type { Outcome } from '../../data/failures.ts'
import { useNotice } from '../../ui/notice.ts'

type Ask = (onWaiting: () => void) => Promise<Outcome<unknown>>

/** Asks for something that shows at once, and says so where it has to wait or was put back. */
export function useKeeping(): (ask: Ask) => void {
  const notice = useNotice()
  return (ask) => {
    const waits = () =>
      notice({
        words: i18n._('The server can’t be reached. This is saved when it can, while the page is open.'),
      })
    ask(waits).then(
      (outcome) => {
        if (outcome.ok) return
        const reason = outcome.failure.sentence
        notice({ words: i18n._('That couldn’t be saved, so it is as it was. {reason}', { reason }) })
      },
      () => notice({ words: i18n._('That part of Linnet couldn’t be loaded. Try again.') }),
    )
  }
}
