/** A letter or vowel sign of a script other than Latin. Names of keys such as "Enter" are Latin. */
const OTHER_SCRIPT = /(?!\p{Script=Latin})[\p{L}\p{M}]/u

/**
 * The key that a shortcut is compared with, in lower case: the character that the layout produces. Layouts of Cyrillic, Greek,
 * Hebrew, Arabic and other scripts produce no Latin letters, so their letters count as the Latin letter that English
 * keyboards have at the same place. Latin layouts keep their own places: on AZERTY, "a" is not at the place of an English "a".
 */
export function shortcutKey({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  const letter = OTHER_SCRIPT.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined
  return (letter ?? key).toLowerCase()
}
