import { i18n } from '@lingui/core'
import Clock from 'lucide-react/icons/clock'
import { useState } from 'react'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import { success, type Outcome } from '../../../../data/failures/failures.ts'
import { createMessageId } from '../../../../data/messages/createMessageId.ts'
import { changeDraft } from '../../../../data/messages/drafts.ts'
import type { UploadWatch } from '../../../../data/messages/uploadScheduledFiles.ts'
import { scheduleMessage } from '../../../../data/messages/scheduledMessages.ts'
import { formatDayAndTime, formatTime } from '../../../../ui/dates.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import type { MenuItem } from '../../../../ui/Menu.tsx'
import { MenuButton } from '../../../../ui/MenuButton.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { atHour, nextWeekday } from '../../../parts/times/localTime.ts'
import { uploadFiles } from './useUploads.ts'
import { isSlashCommand } from '../../slashCommands/isSlashCommand.ts'
import { encodeMentions } from '../../../../../wire/body/encodeMentions.ts'
import type { SendOptions } from '../useSend.ts'

/** One id for all attempts to schedule a text. It contains the time of the first attempt. */
function createScheduledId(): (sendAt: Date) => string {
  let id: string | undefined
  return (sendAt) => (id ??= createMessageId(sendAt.getTime()))
}

/** Sends the message of the field later: at a time of the menu, or at any other. */
export function ScheduleButton(options: SendOptions) {
  const { channelId, threadRoot, text, people, alsoToChannel, attachments, quote, onQueued } = options
  const showToast = useToast()
  const open = useOverlay()
  const [idOf, setIdOf] = useState(createScheduledId)
  const trimmed = text.trim()

  const { files } = attachments
  const schedule = async (at: Date, watch?: UploadWatch): Promise<Outcome> => {
    const body = encodeMentions(trimmed, people)
    const target = { channel_id: channelId, thread_root: threadRoot, also_to_channel: alsoToChannel }
    const uploaded = watch ? await uploadFiles(channelId, files, watch) : success([])
    if (!uploaded.ok) return uploaded
    const outcome = await scheduleMessage(
      { id: idOf(at), ...target, body, quote },
      at.toISOString(),
      uploaded.value,
    )
    if (!outcome.ok) return outcome
    setIdOf(createScheduledId)
    changeDraft(channelId, threadRoot, { text: '', quote: null })
    attachments.clear()
    onQueued(true)
    const time = formatDayAndTime(at.toISOString())
    showToast({
      text: i18n._('Scheduled: {time}.', { time }),
      action: { label: i18n._('Open'), run: () => navigate(pathTo('scheduled')) },
    })
    return outcome
  }
  const refusal = () =>
    isSlashCommand(trimmed) && !trimmed.startsWith('/me ') ? i18n._('Commands can’t be scheduled.') : null
  const unlessRefused = (run: () => void) => () => {
    const reason = refusal()
    if (reason === null) run()
    else showToast({ text: reason })
  }
  const preset = (label: string, at: Date): MenuItem => ({
    label,
    hint: formatTime(at.toISOString()),
    onSelect: unlessRefused(() => {
      // The dialog shows how its files are uploaded, and prevents that they are sent meanwhile.
      if (files.length > 0) return open({ kind: 'schedule-message', first: at, onSchedule: schedule })
      void schedule(at).then((outcome) => {
        if (!outcome.ok) showToast({ text: outcome.failure.message })
      })
    }),
  })
  const [tomorrow, monday] = [atHour(1), nextWeekday(1)]
  const items: MenuItem[] = [
    preset(i18n._('Tomorrow'), tomorrow),
    ...(tomorrow.getDay() === 1 ? [] : [preset(i18n._('Monday'), monday)]),
    {
      label: i18n._('Choose a time…'),
      onSelect: unlessRefused(() => open({ kind: 'schedule-message', onSchedule: schedule })),
    },
    { label: i18n._('Scheduled messages'), separated: true, onSelect: () => navigate(pathTo('scheduled')) },
  ]
  return <MenuButton label={i18n._('Schedule message')} icon={<Icon of={Clock} size={20} />} items={items} />
}
