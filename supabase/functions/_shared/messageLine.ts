import { parseBody } from '../../../wire/body/parseBody.ts'
import { plainText } from '../../../wire/body/plainText.ts'
import { emojiNamed } from './emojiNamed.ts'

/** The text of a message as one line, without what spoilers hide. The database has put names in place of mentions. */
export function messageLine(text: string): string {
  return plainText(text, parseBody(text), { spoiler: '…', nameOf: () => null, emojiOf: emojiNamed })
}
