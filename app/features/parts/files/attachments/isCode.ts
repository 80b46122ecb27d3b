import { fileKindOf } from '../../../../../wire/fileKinds.ts'

/** Whether the text is code or data, in which columns matter. */
export function isCode(type: string): boolean {
  return fileKindOf(type) === 'text' && !/^text\/(plain|markdown|calendar|vcard)\b/i.test(type.trim())
}
