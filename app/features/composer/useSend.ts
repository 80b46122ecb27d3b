import { useState } from 'react'
import { sendMessage } from '../../data/messages/messages.ts'
import { useNotice } from '../../ui/notice.ts'
import { callOf, encodeMentions, type Call, type Mentionable } from './mentionText.ts'
import type { Attachments } from './attaching/useAttachments.ts'

interface Words {
  channelId: string
  threadRoot: string | null
  text: string
  /** Who may be meant, those picked from the list first. */
  people: Mentionable[]
  alsoToChannel: boolean
  attached: Attachments
  setText: (text: string) => void
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
  const { channelId, threadRoot, text, people, alsoToChannel, attached, setText, onSent } = words

  const deliver = async () => {
    const files = attached.take()
    // Emptied at once: what is typed while the device stores the message belongs to the next one.
    setText('')
    const body = encodeMentions(text.trim(), people)
    const unreadable = files.length === 0 ? null : await attached.unreadable(files)
    const outcome = unreadable
      ? { ok: false as const, failure: unreadable }
      : await sendMessage({ channel: channelId, body, threadRoot, alsoToChannel, files })
    if (outcome.ok) return onSent?.()
    attached.putBack(files)
    setText(text)
    notice({ words: outcome.failure.sentence })
  }

  return {
    question,
    send: () => {
      const call = callOf(encodeMentions(text, []))
      if (call) setQuestion(call)
      else void deliver()
    },
    answer: (yes) => {
      setQuestion(null)
      if (yes) void deliver()
    },
  }
}
