import { i18n } from '@lingui/core'
import { parseBody } from '../../../../wire/body/parseBody.ts'
import { plainText as blocksText } from '../../../../wire/body/plainText.ts'
import { mentionedName } from '../../../data/messages/mentionedName.ts'
import { emojiNamed } from '../emoji/emojiNames.ts'

/** The name of a mentioned person or channel; null if it is not known. */
export type NameOf = (id: string) => string | null

/**
 * A body as one line of text, for announcements, previews and notifications: without Markdown, and without what spoilers
 * hide.
 */
export function plainText(body: string, nameOf: NameOf = mentionedName): string {
  return blocksText(body, parseBody(body), { spoiler: i18n._('(spoiler)'), nameOf, emojiOf: emojiNamed })
}
