import { keyNames } from './keyNames.ts'

const APPLE = /Mac|iPhone|iPad/.test(navigator.platform)

/** "⌘K" on Apple devices, "Ctrl K" elsewhere, in the reader's language. */
export function commandKey(letter: string): string {
  return APPLE ? `⌘${letter}` : keyNames(`Ctrl ${letter}`)
}
