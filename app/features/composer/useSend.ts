import { useState } from 'react'
import { sendMessage } from '../../data/messages/messages.ts'
import { useToast } from '../../ui/toast.ts'
import { massMentionOf, encodeMentions, type MassMention, type Mentionable } from './mentionText.ts'
import type { Attachments } from './attachments/useAttachments.ts'

interface SendOptions {
  channelId: string
  threadRoot: string | null
  text: string
  /** False while a stored draft may still come before the text: it is no part of the message then, and stays. */
  isDraftLoaded: boolean
  /** Who may be meant, those picked from the list first. */
  people: Mentionable[]
  alsoToChannel: boolean
  attachments: Attachments
  /** The message was taken: the field starts empty. */
  onQueued: () => void
  onSent: (() => void) | undefined
}

export interface Sending {
  send: () => void
  /** Who would be called: asked before many are. */
  massMention: MassMention | null
  /** The answer to it. */
  confirmMassMention: (isConfirmed: boolean) => void
}

/** Sends what is written, after a question where it calls everyone. */
export function useSend(options: SendOptions): Sending {
  const showToast = useToast()
  const [massMention, setMassMention] = useState<MassMention | null>(null)
  const { channelId, threadRoot, text, isDraftLoaded, people, alsoToChannel, attachments, onQueued, onSent } =
    options

  const queueMessage = () => {
    const body = encodeMentions(text.trim(), people)
    const outcome = sendMessage({
      channel: channelId,
      body,
      threadRoot,
      alsoToChannel,
      files: attachments.files,
      leavesDraft: !isDraftLoaded,
    })
    if (!outcome.ok) return showToast({ text: outcome.failure.sentence })
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
