const APPLE = /Mac|iPhone|iPad/.test(navigator.platform)

/** The name of a command key here: "⌘K" on a Mac, "Ctrl K" elsewhere. */
export function commandKey(letter: string): string {
  return APPLE ? `⌘${letter}` : `Ctrl ${letter}`
}
