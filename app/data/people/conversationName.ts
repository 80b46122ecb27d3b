import { i18n } from '@lingui/core'
import { isolateBidi } from './isolateBidi.ts'

/** Groups of up to this many people are named by all of them; larger ones by the first two and a number. */
const NAMED = 3

/**
 * The name of a direct or group conversation, from the names of its other people in order: one person's full name, or
 * several first names ("Ann, Bea and 4 more"). `unknownCount`: people without a visible profile.
 */
export function conversationName(names: readonly string[], unknownCount = 0): string {
  const former = Array.from({ length: unknownCount }, () => i18n._('Former member'))
  const known = [...names].sort((a, b) => a.localeCompare(b))
  const [only, ...others] = [...known, ...former]
  if (only === undefined) return i18n._('Notes to yourself')
  if (others.length === 0) return only
  const short = [...shortNames(known).map(isolateBidi), ...former]
  if (short.length <= NAMED) return short.join(', ')
  const shown = short.slice(0, NAMED - 1).join(', ')
  return i18n._('{names} and {count} more', { names: shown, count: short.length - NAMED + 1 })
}

/** First names if they are distinct, else full names. */
function shortNames(names: readonly string[]): string[] {
  const firsts = names.map(firstName)
  return names.map((name, at) => {
    const first = firsts[at] ?? name
    return firsts.filter((other) => other === first).length > 1 ? name : first
  })
}

/** The first word of a name that has several; not an initial or a title ("J.", "Dr."). */
function firstName(name: string): string {
  return /^(\p{L}[\p{L}\p{M}'’-]+) /u.exec(name)?.[1] ?? name
}
