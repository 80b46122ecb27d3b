import type { Message } from '../../../../../wire/messages.ts'
import { writtenAt } from '../../../../data/messages/writtenAt.ts'
import { formatDate, formatTime } from '../../../../ui/dates.ts'
import { decodeMentions } from '../../../parts/body/mentionText.ts'

/** The name of the author of a message. */
type AuthorOf = (message: Message) => string

/** The text of a message as its author typed it. */
export function typedText(message: Message): string {
  return decodeMentions(message.body)
}

/** Author, time, text and the names of the files of each message, with an empty line in between. */
export function messagesAsText(messages: readonly Message[], authorOf: AuthorOf): string {
  return messages
    .map((message) => [headOf(message, authorOf(message)), ...contentOf(message)].join('\n'))
    .join('\n\n')
}

/** The same as a block quote in Markdown. */
export function messagesAsQuote(messages: readonly Message[], authorOf: AuthorOf): string {
  return messages
    .map((message) => [`**${headOf(message, authorOf(message))}**`, '', ...contentOf(message)].join('\n'))
    .join('\n\n')
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

function headOf(message: Message, author: string): string {
  const at = writtenAt(message)
  return `${author}, ${formatDate(at)}, ${formatTime(at)}`
}

function contentOf(message: Message): string[] {
  return [typedText(message), ...message.attachments.map(({ name }) => name)].filter((line) => line !== '')
}
