import emoji from '../../../wire/emojiNames/en.generated.ts'
import shortcodes from '../../../wire/emojiNames/shortcodes.generated.ts'

let names: ReadonlyMap<string, string> | null = null

/** The standard emoji of a name such as `tada`; null if there is none. */
export function emojiNamed(name: string): string | null {
  names ??= new Map(readNames())
  return names.get(name) ?? null
}

/** Both files have a text for each group, and a line for each emoji, with fields separated by tabs. */
function readNames(): [name: string, emoji: string][] {
  const fieldsOf = (groups: readonly string[]) =>
    groups.flatMap((group) => group.split('\n').map((line) => line.split('\t')[0]!))
  const all = fieldsOf(emoji)
  return fieldsOf(shortcodes).flatMap((codes, at) =>
    codes.split(' ').map((code): [string, string] => [code, all[at]!]),
  )
}
