import type { AdjacentMessage } from '../../../../wire/messages.ts'
import { excerptOf } from '../../parts/body/excerptOf.ts'
import type { NameOf } from '../../parts/body/plainText.ts'

/** The length at which the server cuts the text of a message beside a found one. */
const MAX_BODY = 1000
/** Characters that one line shows at most. */
const MAX_LINE = 200

/**
 * One line of text for a message beside a found one. A spoiler whose end was cut off is left out, because only the end would
 * mark its text as hidden.
 */
export function adjacentText({ body, files }: AdjacentMessage, nameOf?: NameOf): string {
  const isCut = [...body].length >= MAX_BODY
  const isOpen = isCut && body.split('||').length % 2 === 0
  const text = excerptOf(
    {
      body: isOpen ? body.slice(0, body.lastIndexOf('||')) : body,
      attachments: files.map((name) => ({ name })),
      extras: null,
    },
    nameOf,
  )
  return text.slice(0, MAX_LINE)
}
