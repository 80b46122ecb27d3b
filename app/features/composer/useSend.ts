import { useState } from 'react'
import { sendMessage } from '../../data/messages/messages.ts'
import { useToast } from '../../ui/toast.ts'
import { massMentionOf, encodeMentions, type MassMention, type Mentionable } from './mentionText.ts'
import type { Attachments } from './attachments/useAttachments.ts'

interface SendOptions {
  channelId: string
  threadRoot: string | null
  text: string
  /** False while a stored draft may still be inserted before the text: that draft is not sent and is kept. */
  isDraftLoaded: boolean
  /** People that may be mentioned, those picked from the list first. */
  people: Mentionable[]
  alsoToChannel: boolean
  attachments: Attachments
  /** Id of the quoted message. */
  quote: string | null
  /** Called when the message is in the outbox: the field is emptied. */
  onQueued: () => void
  onSent: (() => void) | undefined
}

export interface Sending {
  send: () => void
  /** The mass mention that needs a confirmation. */
  massMention: MassMention | null
  /** Sends or cancels the message. */
  confirmMassMention: (isConfirmed: boolean) => void
}

/** Sends the message; a mass mention may need a confirmation first. */
export function useSend(options: SendOptions): Sending {
  const showToast = useToast()
  const [massMention, setMassMention] = useState<MassMention | null>(null)
  const { channelId, threadRoot, text, isDraftLoaded, people, alsoToChannel, attachments, quote } = options
  const { onQueued, onSent } = options

  const queueMessage = () => {
    const body = encodeMentions(text.trim(), people)
    const outcome = sendMessage({
      channel: channelId,
      body,
      threadRoot,
      alsoToChannel,
      files: attachments.files,
      extras: quote === null ? null : { quote: { message_id: quote } },
      keepsDraft: !isDraftLoaded,
    })
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    // At once: what is typed while the device stores the message belongs to the next one.
    attachments.clear()
    onQueued()
    onSent?.()
  }

  return {
    massMention,
    send: () => {
      const mention = massMentionOf(encodeMentions(text, []))
      if (mention) setMassMention(mention)
      else queueMessage()
    },
    confirmMassMention: (isConfirmed) => {
      setMassMention(null)
      if (isConfirmed) queueMessage()
    },
  }
}
