import { i18n } from '@lingui/core'
import { useNotice } from '../../ui/notice.ts'

/** Copies a conversation's address and says so. */
export function useCopyLink(): (channelId: string) => void {
  const notice = useNotice()
  return (channelId) => {
    void navigator.clipboard.writeText(`${location.origin}/c/${channelId}`).then(
      () => notice({ words: i18n._('Link copied.') }),
      () => notice({ words: i18n._('Couldn’t copy the link. Copy it from the address bar.') }),
    )
  }
}
