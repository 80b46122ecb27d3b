import { i18n } from '@lingui/core'

const NAMES: Record<string, () => string> = {
  Ctrl: () => i18n._('Ctrl'),
  Shift: () => i18n._('Shift'),
  Home: () => i18n._('Home'),
  End: () => i18n._('End'),
}

/** A key combination with the names on keyboards of the reader's language: "Strg K" for "Ctrl K" in German. */
export function keyNames(keys: string): string {
  return keys.replaceAll(/\w+/g, (name) => NAMES[name]?.() ?? name)
}
