import { useEffect } from 'react'
import { useToast } from '../../../../ui/toast.ts'

let isChecked = false

const loadDeletedToast = () => import('./showDeletedToast.ts')

/**
 * After a reload, offers again to undo the deletions that are still pending. `ready`: pending changes of this device are
 * loaded.
 */
export function useRestoreUndo(ready: boolean, deletions: ReadonlySet<string>): void {
  const showToast = useToast()
  useEffect(() => {
    if (!ready || isChecked) return
    isChecked = true
    if (deletions.size === 0) return
    const ids = [...deletions]
    loadDeletedToast().then(
      ({ showDeletedToast }) => showDeletedToast(ids, showToast),
      () => {},
    )
  }, [ready, deletions, showToast])
}
