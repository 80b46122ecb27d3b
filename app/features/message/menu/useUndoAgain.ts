import { useEffect } from 'react'
import { useNotice } from '../../../ui/notice.ts'

let looked = false

/**
 * Offers once more to call a deletion off, for whom the page was loaded again in between: asked for it is only when
 * its time has passed. `ready`: what waits on this device is known.
 */
export function useUndoAgain(ready: boolean, deletions: ReadonlySet<string>): void {
  const notice = useNotice()
  useEffect(() => {
    if (!ready || looked) return
    looked = true
    const last = [...deletions].at(-1)
    if (last === undefined) return
    import('./deletedNotice.ts').then(
      ({ deletedNotice }) => deletedNotice(last, notice),
      () => {},
    )
  }, [ready, deletions, notice])
}
