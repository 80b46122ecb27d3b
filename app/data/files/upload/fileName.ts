import { cleanText, cutText, isVisible } from '../../../../wire/texts.ts'

const maxCharacters = 255
/** The length of the longest extension that stays when a name is cut. */
const maxExtensionCharacters = 20
/**
 * Control characters, separators of lines and of folders, and characters that change the direction of the text after them,
 * which would show another extension: `app.is_legible_file_name` refuses them.
 */
const refused = /[\p{Cc}/\\\u2028-\u202E\u2066-\u2069]/gu

/** The name of a file as the database accepts it; with another extension if the type was converted. */
export function fileName(name: string, becameType: string | null): string {
  const plain = cleanText(name).replaceAll(refused, ' ').trim()
  const readable = isVisible(plain) ? plain : 'file'
  const ended = becameType === 'image/jpeg' ? `${readable.replace(/\.[^.]*$/, '')}.jpg` : readable
  if ([...ended].length <= maxCharacters) return ended
  const extension = /\.[^.\s]+$/.exec(ended)?.[0] ?? ''
  return [...extension].length > maxExtensionCharacters
    ? cutText(ended, maxCharacters)
    : cutText(ended.slice(0, ended.length - extension.length), maxCharacters - [...extension].length) +
        extension
}
