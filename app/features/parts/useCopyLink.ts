import { i18n } from '@lingui/core'
import { useToast } from '../../ui/toast.ts'

/** Copies the address of a page of the app, given by its path, and confirms it. */
export function useCopyLink(): (path: string) => void {
  const showToast = useToast()
  return (path) => {
    void navigator.clipboard.writeText(location.origin + path).then(
      () => showToast({ text: i18n._('Link copied.') }),
      () => showToast({ text: i18n._('Couldn’t copy the link. Copy it from the address bar.') }),
    )
  }
}
