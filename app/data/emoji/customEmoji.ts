import type { CustomEmoji } from '../../../wire/emoji.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { getClientSession } from '../session/clientSession.ts'

const NONE: readonly CustomEmoji[] = []
const byName = new WeakMap<readonly CustomEmoji[], ReadonlyMap<string, CustomEmoji>>()

/** Returns the custom emoji of the workspace, by name; none until they are loaded. */
export function readCustomEmoji(): readonly CustomEmoji[] {
  return getClientSession()?.store.get().customEmoji ?? NONE
}

/** The same, and renders again when they change. */
export function useCustomEmoji(): readonly CustomEmoji[] {
  return useClientSession(readCustomEmoji)
}

/** Returns the custom emoji with this name or alias; null if there is none, or if the emoji are not loaded yet. */
export function useCustomEmojiNamed(name: string): CustomEmoji | null {
  return namesOf(useCustomEmoji()).get(name) ?? null
}

/** Returns the emoji by name and alias. */
function namesOf(emoji: readonly CustomEmoji[]): ReadonlyMap<string, CustomEmoji> {
  const known = byName.get(emoji)
  if (known) return known
  const all = emoji.flatMap((one) => [one.name, ...one.aliases].map((key) => [key, one] as const))
  const named = new Map(all)
  byName.set(emoji, named)
  return named
}
