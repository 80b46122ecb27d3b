import { useState } from 'react'
import { sendMessage } from '../../data/messages/messages.ts'
import { useNotice } from '../../ui/notice.ts'
import { callOf, encodeMentions, type Call, type Mentionable } from './mentionText.ts'
import type { Attachments } from './attaching/useAttachments.ts'

interface Words {
  channelId: string
  threadRoot: string | null
  text: string
  /** False while a stored draft may still come before the text: it is no part of the message then, and stays. */
  isDraftLoaded: boolean
  /** Who may be meant, those picked from the list first. */
  people: Mentionable[]
  alsoToChannel: boolean
  attached: Attachments
  /** The message was taken: the field starts empty. */
  onTaken: () => void
  onSent: (() => void) | undefined
}

export interface Sending {
  send: () => void
  /** Who would be called: asked before many are. */
  question: Call | null
  /** The answer to it. */
  answer: (yes: boolean) => void
}

/** Sends what is written, after a question where it calls everyone. */
export function useSend(words: Words): Sending {
  const notice = useNotice()
  const [question, setQuestion] = useState<Call | null>(null)
  const { channelId, threadRoot, text, isDraftLoaded, people, alsoToChannel, attached, onTaken, onSent } =
    words

  const deliver = () => {
    const body = encodeMentions(text.trim(), people)
    const outcome = sendMessage({
      channel: channelId,
      body,
      threadRoot,
      alsoToChannel,
      files: attached.files,
      leavesDraft: !isDraftLoaded,
    })
    if (!outcome.ok) return notice({ words: outcome.failure.sentence })
    // At once: what is typed while the device stores the message belongs to the next one.
    attached.clear()
    onTaken()
    onSent?.()
  }

  return {
    question,
    send: () => {
      const call = callOf(encodeMentions(text, []))
      if (call) setQuestion(call)
      else deliver()
    },
    answer: (yes) => {
      setQuestion(null)
      if (yes) deliver()
    },
  }
}
