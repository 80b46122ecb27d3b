import { i18n } from '@lingui/core'
import AtSign from 'lucide-react/icons/at-sign'
import ChartBar from 'lucide-react/icons/chart-no-axes-column'
import Mic from 'lucide-react/icons/mic'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { ANY_TOUCH_PHONE, PHONE, useMedia } from '../../../ui/useMedia.ts'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { SilenceNotice } from './SilenceNotice.tsx'
import { ScheduleButton } from './schedule/ScheduleButton.tsx'
import type { SendOptions } from './useSend.ts'

interface Props extends SendOptions {
  canSend: boolean
  /** One row with the field: it has room for one button. */
  isCollapsed: boolean
  isRecording: boolean
  /** Inserts text at the caret. */
  onInsert: (text: string) => void
  onRecord: () => void
  /** Whether the user is silenced. */
  onSilence: (isSilenced: boolean) => void
}

/** Buttons of the composer for mentions and what is sent otherwise: polls, voice messages, and later; or why nothing can be sent. */
export default function ComposerTools(props: Props) {
  const { canSend, isCollapsed, isRecording, onInsert, onRecord, onSilence, ...options } = props
  const open = useOverlay()
  const isPhone = useMedia(PHONE)
  const { channelId, threadRoot, text } = options
  const isTouchPhone = useMedia(ANY_TOUCH_PHONE)
  // Beside the buttons that send a text there is no room for others. On a touch phone the first button has the poll.
  const hasRoom = !canSend || (!isPhone && threadRoot === null)
  return (
    <>
      <SilenceNotice onChange={onSilence} />
      {isCollapsed ? null : (
        <IconButton
          label={i18n._('Mention someone')}
          icon={<Icon of={AtSign} size={20} />}
          onClick={() => onInsert(/\S$/.test(text) ? ' @' : '@')}
        />
      )}
      {isTouchPhone || !hasRoom ? null : (
        <IconButton
          label={i18n._('Start a poll')}
          icon={<Icon of={ChartBar} size={20} />}
          onClick={() => open({ kind: 'create-poll', channelId, threadRoot })}
        />
      )}
      {hasRoom ? (
        <IconButton
          label={i18n._('Record a voice message')}
          icon={<Icon of={Mic} size={20} />}
          aria-expanded={isRecording}
          onClick={onRecord}
        />
      ) : null}
      {canSend ? <ScheduleButton {...options} /> : null}
    </>
  )
}
