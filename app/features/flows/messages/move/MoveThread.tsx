import { i18n } from '@lingui/core'
import { useState } from 'react'
import { formFailure } from '../../../../ui/fieldFailure.ts'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import type { MovePreview } from '../../../../../wire/messages.ts'
import { useSidebar } from '../../../../data/channels/channels.ts'
import { createMessageId } from '../../../../data/messages/createMessageId.ts'
import { movePreview, moveThread } from '../../../../data/messages/moveThread.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { Checkbox } from '../../../../ui/Checkbox.tsx'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { ConversationPicker } from '../../channels/ConversationPicker.tsx'
import { destinationOf } from '../../channels/useDestinations.ts'
import { titleOf } from '../../../parts/channels/titleOf.ts'
import { ReferencedMessage } from '../../../conversation/message/extras/ReferencedMessage.tsx'

interface Props {
  channelId: string
  messageId: string
  onClose: () => void
}

/** Moves a message with its replies to another channel, after showing who can read it there. */
export default function MoveThread({ channelId, messageId, onClose }: Props) {
  const { channels } = useSidebar()
  const showToast = useToast()
  const [to, setTo] = useState<string | null>(null)
  const [accepted, setAccepted] = useState(0)
  // The same for every attempt, so that the thread is moved once.
  const [newId] = useState(() => createMessageId())
  const preview = useQuery(to === null ? null : movePreview, [messageId, to ?? ''])
  const target = channels.find(({ id }) => id === to)
  const title = target ? isolateBidi(titleOf(target)) : ''

  const move = async () => {
    if (preview.value && preview.value.gaining > accepted)
      return formFailure(i18n._('Confirm first that more people will be able to read this.'))
    return moveThread(newId, messageId, to ?? '', accepted)
  }
  const showMoved = () =>
    showToast({
      text: i18n._('Moved to {channel}.', { channel: title }),
      action: {
        label: i18n._('Open'),
        run: () => navigate(pathTo('message', { channelId: to ?? '', messageId: newId })),
      },
    })

  return (
    <FormDialog
      title={i18n._('Move to another channel')}
      action={i18n._('Move')}
      run={move}
      onDone={showMoved}
      hasChoices={to !== null}
      failure={preview.failure?.message}
      isDisabled={!preview.value}
      onClose={onClose}
    >
      <ConversationPicker
        label={i18n._('To')}
        placeholder={i18n._('Find a channel')}
        list={i18n._('Channels')}
        items={channels.filter(({ id, archived }) => id !== channelId && !archived).map(destinationOf)}
        value={to}
        onChange={(id) => {
          setTo(id)
          setAccepted(0)
        }}
      />
      <ReferencedMessage id={messageId} kind="quote" />
      <div aria-live="polite">
        {preview.value && target ? <Consequences {...preview.value} channel={title} /> : null}
      </div>
      {preview.value && preview.value.gaining > 0 ? (
        <Checkbox
          label={i18n._(
            '{count, plural, one {Let # more person read it} other {Let # more people read it}}',
            { count: preview.value.gaining },
          )}
          hint={i18n._('They can’t read it where it is now.')}
          checked={accepted >= preview.value.gaining}
          onChange={(on) => setAccepted(on ? (preview.value?.gaining ?? 0) : 0)}
        />
      ) : null}
    </FormDialog>
  )
}

/** What moves, and how many people can no longer read it. */
function Consequences({ replies, losing, channel }: MovePreview & { channel: string }) {
  return (
    <p className="note">
      {replies > 0
        ? i18n._(
            '{replies, plural, one {The message moves with # reply.} other {The message moves with # replies.}}',
            { replies },
          )
        : i18n._('The message moves with its files and reactions.')}{' '}
      {losing > 0
        ? i18n._(
            '{losing, plural, one {# person who can read it here can’t read {channel}.} other {# people who can read it here can’t read {channel}.}}',
            { losing, channel },
          )
        : i18n._('Everyone who can read it here can read {channel}.', { channel })}
    </p>
  )
}
