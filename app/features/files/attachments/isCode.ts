import { fileKindOf } from '../../../../wire/fileKinds.ts'

/** Whether a text is written for machines, so that its columns count. */
export function isCode(type: string): boolean {
  return fileKindOf(type) === 'text' && !/^text\/(plain|markdown|calendar|vcard)\b/i.test(type.trim())
}
