const APPLE = /Mac|iPhone|iPad/.test(navigator.platform)

/** "⌘K" on Apple devices, "Ctrl K" elsewhere. */
export function commandKey(letter: string): string {
  return APPLE ? `⌘${letter}` : `Ctrl ${letter}`
}
