import { i18n } from '@lingui/core'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import X from 'lucide-react/icons/x'
import { navigate } from '../../../historyState.ts'
import { followThread } from '../../../data/messages/changeMessages.ts'
import { useFetchedThreadState } from '../../../data/threads/threadState.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useToast } from '../../../ui/toast.ts'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'

interface Props {
  channelId: string
  rootId: string
  mayFollow: boolean
  /** Where closing leads to. */
  back: string
}

/** Follow and close buttons in the header of a thread. */
export function ThreadHeaderActions({ channelId, rootId, mayFollow, back }: Props) {
  const showToast = useToast()
  const state = useFetchedThreadState(rootId, mayFollow)
  // On a phone the back link does it.
  const isPhone = useMedia(PHONE)
  const follows = state?.follows === true
  return (
    <>
      {mayFollow ? (
        <IconButton
          label={i18n._('Follow this thread')}
          data-tooltip={follows ? i18n._('You’ll see new replies in Threads') : i18n._('Follow this thread')}
          icon={<Icon of={follows ? Bell : BellOff} size={20} />}
          aria-pressed={follows}
          onClick={() =>
            void followThread(channelId, rootId, !follows).then((outcome) => {
              if (!outcome.ok) showToast({ text: outcome.failure.message })
            })
          }
        />
      ) : null}
      {isPhone ? null : (
        <IconButton
          label={i18n._('Close thread')}
          keys="Esc"
          icon={<Icon of={X} size={20} />}
          onClick={() => navigate(back)}
        />
      )}
    </>
  )
}
