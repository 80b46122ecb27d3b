import { i18n } from '@lingui/core'
import { useToast } from '../../../ui/toast.ts'

/** Copies a conversation's URL and confirms it. */
export function useCopyLink(): (channelId: string) => void {
  const showToast = useToast()
  return (channelId) => {
    void navigator.clipboard.writeText(`${location.origin}/c/${channelId}`).then(
      () => showToast({ text: i18n._('Link copied.') }),
      () => showToast({ text: i18n._('Couldn’t copy the link. Copy it from the address bar.') }),
    )
  }
}
