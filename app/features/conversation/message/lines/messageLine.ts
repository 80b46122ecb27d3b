import { i18n } from '@lingui/core'
import type { Uuid } from '../../../../../wire/scalars.ts'
import type { LastMessage } from '../../../../data/messages/lastMessages.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { excerptOf } from '../../../parts/body/excerptOf.ts'
import { otherPersonOf, systemSentence } from './systemSentence.ts'

interface Options {
  me: Uuid
  nameOf: (id: Uuid) => string | null
  /** Whether the line names the author of a text. */
  isAuthorShown: boolean
}

/** A message as one line of a list: "You: Back at three", or "Bea joined.". */
export function messageLine(message: LastMessage, { me, nameOf, isAuthorShown }: Options): string {
  const { author_id: author, body, extras, system } = message
  const personName = (id: Uuid) => isolateBidi(nameOf(id) ?? i18n._('Former member'))
  if (message.kind === 'system')
    return systemSentence(system, personName(author), personName(otherPersonOf(system) ?? author))
  // What the author does: the text is the rest of a sentence about them.
  if (body.startsWith('/me ')) return `${personName(author)} ${excerptOf(message)}`
  const sender = extras?.sender
  const text = contentLine(sender ? { ...message, body: body.slice(sender.end) } : message)
  if (sender) return i18n._('{name}: {text}', { name: isolateBidi(sender.name), text })
  if (!isAuthorShown) return text
  return author === me
    ? i18n._('You: {text}', { text })
    : i18n._('{name}: {text}', { name: personName(author), text })
}

/** The content of a message as one line: its text, or what it consists of. */
export function contentLine(message: Pick<LastMessage, 'body' | 'extras' | 'attachments'>): string {
  const { body, extras } = message
  if (extras?.voice && body === '') return i18n._('Voice message')
  const text = excerptOf(message)
  return extras?.poll ? i18n._('Poll: {question}', { question: text }) : text
}
