import { useEffect } from 'react'
import type { CustomEmoji } from '../../../wire/emoji.ts'
import { LIMITS } from '../../../wire/limits.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { getClient } from '../client/getClient.ts'
import { createRetry } from '../hooks/createRetry.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { getClientSession, sessionEmitter } from '../session/clientSession.ts'

/** The custom emoji of a workspace at its `emoji_version`. */
interface Stored {
  workspace: Uuid
  version: number
  emoji: readonly CustomEmoji[]
}

/** The key in local storage. `clearLocalData` deletes it with the other data of the account. */
const KEY = 'linnet.custom-emoji'
const NONE: readonly CustomEmoji[] = []

let current: Stored | null | undefined
let willRetry = false
let loading: { version: number; done: Promise<void> } | null = null
const retry = createRetry()
const byName = new WeakMap<readonly CustomEmoji[], ReadonlyMap<string, CustomEmoji>>()

/** Returns the custom emoji of the workspace, by name. Without a network it returns the last known ones. */
export async function readCustomEmoji(): Promise<readonly CustomEmoji[]> {
  await loadCurrent()
  return storedEmoji()
}

/**
 * Returns the custom emoji of the workspace, by name. While the current emoji are loading, it returns the emoji that
 * this device has stored.
 */
export function useCustomEmoji(): readonly CustomEmoji[] {
  const version = useClientSession((session) => session?.store.get().workspace?.emoji_version)
  useEffect(() => {
    if (version !== undefined) void loadCurrent()
  }, [version])
  return useClientSession(storedEmoji)
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

function storedEmoji(): readonly CustomEmoji[] {
  const workspace = getClientSession()?.store.get().workspace
  if (workspace?.emoji_version === undefined) return NONE
  if (current === undefined) current = readStored()
  return current?.workspace === workspace.id ? current.emoji : NONE
}

/** Fetches the emoji unless this device has the current version. */
async function loadCurrent(): Promise<void> {
  const workspace = getClientSession()?.store.get().workspace
  const version = workspace?.emoji_version
  if (!workspace || version === undefined) return
  storedEmoji()
  if (current?.workspace === workspace.id && current.version === version) return
  if (loading?.version !== version) {
    const request = { version, done: Promise.resolve() }
    loading = request
    request.done = load(workspace.id, version, () => loading === request).finally(() => {
      if (loading === request) loading = null
    })
  }
  await loading.done
}

/** Stores the emoji unless a request for a later version began meanwhile. */
async function load(workspace: Uuid, version: number, isLatest: () => boolean): Promise<void> {
  try {
    const { rest } = await getClient()
    const { data, error } = await rest
      .from('custom_emoji')
      .select('id, workspace_id, name, aliases, author_id')
      .eq('workspace_id', workspace)
      .order('name')
      .limit(LIMITS.customEmoji)
    if (!isLatest()) return
    if (error) return retryLater()
    current = { workspace, version, emoji: data as CustomEmoji[] }
    retry.reset()
    writeStored(current)
    sessionEmitter.emit()
  } catch {
    retryLater()
  }
}

/** Tries again later. The previous emoji stay until then. */
function retryLater(): void {
  if (willRetry) return
  willRetry = true
  retry.schedule(() => {
    willRetry = false
    void loadCurrent()
  })
}

function readStored(): Stored | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as Stored | null
  } catch {
    return null
  }
}

function writeStored(stored: Stored): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(stored))
  } catch {
    // Then they are fetched by each page.
  }
}
