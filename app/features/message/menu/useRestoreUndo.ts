import { useEffect } from 'react'
import { useToast } from '../../../ui/toast.ts'

let isChecked = false

/**
 * After a reload, offers again to undo a deletion that is still pending. `ready`: pending changes of this device are
 * loaded.
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
