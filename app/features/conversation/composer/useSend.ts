import { useState } from 'react'
import { sendMessage } from '../../../data/messages/messages.ts'
import { preloadLater } from '../../../ui/lazyComponent.tsx'
import { useToast } from '../../../ui/toast.ts'
import { isSlashCommand } from '../slashCommands/isSlashCommand.ts'
import { encodeMentions, type Mentionable } from '../../../../wire/body/encodeMentions.ts'
import { massMentionOf, type MassMention } from '../../parts/body/mentionText.ts'
import type { Attachments } from './attachments/useAttachments.ts'

/** Loaded after the first page. A text that is sent earlier keeps its emoticons. */
let withChosenEmoji = (text: string): string => text
preloadLater(async () => {
  ;({ withChosenEmoji } = await import('../../parts/body/convertEmoticons.ts'))
})

export interface SendOptions {
  channelId: string
  threadRoot: string | null
  /** In the stored form. */
  text: string
  /** False while a stored draft may still be inserted before the text: that draft is not sent and is kept. */
  isDraftLoaded: boolean
  /** Who may be mentioned: names that were typed and not picked become mentions when the text is sent. */
  people: readonly Mentionable[]
  alsoToChannel: boolean
  attachments: Attachments
  /** Id of the quoted message. */
  quote: string | null
  /** Called when the message is in the outbox. `isFromField`: the field contains its text, and is emptied. */
  onQueued: (isFromField: boolean) => void
  onSent: (() => void) | undefined
}

/** A message in its stored form that notifies several people, and waits for a confirmation. */
interface UnconfirmedMessage {
  mention: MassMention
  body: string
  isFromField: boolean
}

/** A command that was entered. Until it is found, its text is in the field and nothing else is sent. */
interface EnteredCommand {
  id: string
  text: string
  isFound: boolean
}

/** Commands that run at the same time, such as while the server does not respond. */
const MAX_COMMANDS = 10

export interface Sending {
  /** Sends the text of the field, or runs the command that it is. */
  send: () => void
  /** Sends the text of the field, also if it looks like a command. */
  sendText: () => void
  /** Sends a text that a command returned. */
  sendResult: (body: string) => void
  commands: readonly EnteredCommand[]
  /** It exists, and its text leaves the field. */
  startCommand: (id: string) => void
  endCommand: (id: string) => void
  unconfirmed: UnconfirmedMessage | null
  /** Sends or cancels it. */
  confirm: (isConfirmed: boolean) => void
}

/** Sends messages; a mass mention may need a confirmation first. */
export function useSend(options: SendOptions): Sending {
  const showToast = useToast()
  const [unconfirmed, setUnconfirmed] = useState<UnconfirmedMessage | null>(null)
  const [commands, setCommands] = useState<readonly EnteredCommand[]>([])
  const { channelId, threadRoot, text, isDraftLoaded, people, alsoToChannel, attachments, quote } = options
  const { onQueued, onSent } = options

  const queueMessage = (body: string, isFromField: boolean) => {
    const outcome = sendMessage({
      channel: channelId,
      body,
      threadRoot,
      alsoToChannel,
      files: attachments.files,
      extras: quote === null ? null : { quote: { message_id: quote } },
      keepsDraft: !isFromField || !isDraftLoaded,
    })
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    // At once: what is typed while the device stores the message belongs to the next one.
    attachments.clear()
    onQueued(isFromField)
    onSent?.()
  }
  const sendBody = (body: string, isFromField: boolean) => {
    const mention = massMentionOf(body)
    if (mention) setUnconfirmed({ mention, body, isFromField })
    else queueMessage(body, isFromField)
  }
  const sendText = () => sendBody(encodeMentions(withChosenEmoji(text.trim()), people), true)

  return {
    send: () => {
      const trimmed = text.trim()
      if (commands.length >= MAX_COMMANDS || commands.some(({ isFound }) => !isFound)) return
      if (!isSlashCommand(trimmed)) return sendText()
      setCommands([...commands, { id: crypto.randomUUID(), text: trimmed, isFound: false }])
    },
    sendText,
    sendResult: (body) => sendBody(body, false),
    commands,
    startCommand: (id) =>
      setCommands((now) => now.map((one) => (one.id === id ? { ...one, isFound: true } : one))),
    endCommand: (id) => setCommands((now) => now.filter((one) => one.id !== id)),
    unconfirmed,
    confirm: (isConfirmed) => {
      setUnconfirmed(null)
      if (isConfirmed && unconfirmed) queueMessage(unconfirmed.body, unconfirmed.isFromField)
    },
  }
}
