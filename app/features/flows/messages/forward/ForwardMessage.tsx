import { i18n } from '@lingui/core'
import { useRef, useState } from 'react'
import { success } from '../../../../data/failures/failures.ts'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import { sendMessage } from '../../../../data/messages/messages.ts'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { ConversationPicker } from '../../channels/ConversationPicker.tsx'
import { openDestination, useDestinations } from '../../channels/useDestinations.ts'
import { charactersLeft } from '../../../conversation/writing/charactersLeft.ts'
import CharacterCount from '../../../conversation/writing/CharacterCount.tsx'
import { MessageField } from '../../../conversation/writing/MessageField.tsx'
import { useMentionable } from '../../../conversation/writing/useMentionable.ts'
import { encodeMentions } from '../../../../../wire/body/encodeMentions.ts'
import styles from './ForwardMessage.module.css'
import { ReferencedMessage } from '../../../conversation/message/extras/ReferencedMessage.tsx'

interface Props {
  messageIds: readonly string[]
  /** What the fields contain at first; the comment is in the stored form. */
  first?: { to: string; comment: string }
  onForwarded?: () => void
  onClose: () => void
}

/** The maximum number of messages that the dialog previews. */
const MAX_SHOWN = 3

/** Forwards messages to a conversation or a person, the first of them with a comment. */
export default function ForwardMessage({ messageIds, first, onForwarded, onClose }: Props) {
  const destinations = useDestinations()
  const showToast = useToast()
  const [to, setTo] = useState<string | null>(first?.to ?? null)
  const [comment, setComment] = useState(first?.comment ?? '')
  const mentionable = useMentionable()
  const destination = destinations.find(({ id }) => id === to)
  const left = charactersLeft(comment)
  const fields = useRef<HTMLDivElement>(null)
  const count = messageIds.length

  const send = async () => {
    // The button is disabled until there is one.
    const opened = await openDestination(destination!)
    if (!opened.ok) return opened
    const channel = opened.value
    for (const [index, message_id] of messageIds.entries()) {
      const outcome = sendMessage({
        channel,
        body: index === 0 ? encodeMentions(comment.trim(), mentionable) : '',
        extras: { forward: { message_id } },
        keepsDraft: true,
      })
      if (!outcome.ok) return outcome
    }
    return success(channel)
  }
  const showForwarded = (channelId: string) => {
    onForwarded?.()
    showToast({
      text: i18n._('Forwarded.'),
      action: { label: i18n._('Open'), run: () => navigate(pathTo('channel', { channelId })) },
    })
  }

  return (
    <FormDialog
      title={i18n._('{count, plural, one {Forward message} other {Forward # messages}}', { count })}
      action={i18n._('Forward')}
      run={send}
      hasChoices={comment !== (first?.comment ?? '')}
      isDisabled={!destination || (left !== null && left < 0)}
      onDone={showForwarded}
      onClose={onClose}
    >
      <ConversationPicker
        label={i18n._('To')}
        placeholder={i18n._('Find a channel or person')}
        list={i18n._('Conversations')}
        items={destinations}
        value={to}
        onChange={setTo}
      />
      <div ref={fields} className={styles.comment}>
        <MessageField
          label={i18n._('Comment (optional)')}
          placeholder={i18n._('Comment (optional)')}
          body={comment}
          channelId={destination?.conversation?.id ?? ''}
          onChange={setComment}
          onEnter={() => fields.current?.closest('form')?.requestSubmit()}
        />
        {left === null ? null : <CharacterCount left={left} />}
      </div>
      {messageIds.slice(0, MAX_SHOWN).map((id) => (
        <ReferencedMessage key={id} id={id} kind="quote" />
      ))}
      {count > MAX_SHOWN ? (
        <p className="note">
          {i18n._('{count, plural, one {and # more message} other {and # more messages}}', {
            count: count - MAX_SHOWN,
          })}
        </p>
      ) : null}
      <p className="note">
        {i18n._('Only people who can read the original see its text. Others see that there’s a message.')}
      </p>
    </FormDialog>
  )
}
