import { useEffect } from 'react'
import { useToast } from '../../../ui/toast.ts'

let isChecked = false

/**
 * Offers once more to call a deletion off, for whom the page was loaded again in between: asked for it is only when
 * its time has passed. `ready`: what waits on this device is known.
 */
export function useRestoreUndo(ready: boolean, deletions: ReadonlySet<string>): void {
  const showToast = useToast()
  useEffect(() => {
    if (!ready || isChecked) return
    isChecked = true
    const last = [...deletions].at(-1)
    if (last === undefined) return
    import('./showDeletedToast.ts').then(
      ({ showDeletedToast }) => showDeletedToast(last, showToast),
      () => {},
    )
  }, [ready, deletions, showToast])
}
