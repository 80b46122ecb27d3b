import { i18n } from '@lingui/core'
import {
  insertLink,
  toggleLines,
  toggleMark,
  wrapInCodeBlock,
  type TextEdit,
  type TextState,
} from './textEdits.ts'
import { shortcutKey } from '../../../ui/shortcutKey.ts'

export type Format =
  | 'bold'
  | 'italic'
  | 'strike'
  | 'code'
  | 'codeBlock'
  | 'link'
  | 'quote'
  | 'bullets'
  | 'numbers'
  | 'tasks'

/** The edit of each format, null where it does not apply; and its keys together with Ctrl or ⌘, as "Shift X". */
export const FORMATS: Record<Format, { edit: (state: TextState) => TextEdit | null; keys?: string }> = {
  bold: { edit: (state) => toggleMark(state, '**'), keys: 'B' },
  italic: { edit: (state) => toggleMark(state, '*'), keys: 'I' },
  strike: { edit: (state) => toggleMark(state, '~~'), keys: 'Shift X' },
  code: { edit: (state) => toggleMark(state, '`'), keys: 'E' },
  codeBlock: { edit: wrapInCodeBlock, keys: 'Shift E' },
  link: { edit: insertLink, keys: 'K' },
  quote: { edit: (state) => toggleLines(state, 'quote'), keys: 'Shift 9' },
  bullets: { edit: (state) => toggleLines(state, 'bullets'), keys: 'Shift 8' },
  numbers: { edit: (state) => toggleLines(state, 'numbers'), keys: 'Shift 7' },
  tasks: { edit: (state) => toggleLines(state, 'tasks') },
}

/** The name of each format, in the order of the bar. */
export function formatNames(): [Format, string][] {
  return [
    ['bold', i18n._('Bold')],
    ['italic', i18n._('Italic')],
    ['strike', i18n._('Strikethrough')],
    ['code', i18n._('Code')],
    ['codeBlock', i18n._('Code block')],
    ['quote', i18n._({ id: 'Quote (noun)', message: 'Quote', context: 'a format of paragraphs' })],
    ['bullets', i18n._('Bulleted list')],
    ['numbers', i18n._('Numbered list')],
    ['tasks', i18n._('Task list')],
    ['link', i18n._('Link')],
  ]
}

/** What of a `KeyboardEvent` chooses a format. */
export interface FormatKeys {
  key: string
  code: string
  ctrlKey: boolean
  metaKey: boolean
  shiftKey: boolean
  altKey: boolean
}

/** The format of a shortcut, or null. Digits are compared by their place, because Shift turns them into other characters. */
export function formatOf({ key, code, ctrlKey, metaKey, shiftKey, altKey }: FormatKeys): Format | null {
  if (ctrlKey === metaKey || altKey) return null
  const name = /^Digit(\d)$/.exec(code)?.[1] ?? shortcutKey({ key, code }).toUpperCase()
  const keys = shiftKey ? `Shift ${name}` : name
  const formats = Object.keys(FORMATS) as Format[]
  return formats.find((format) => FORMATS[format].keys === keys) ?? null
}
