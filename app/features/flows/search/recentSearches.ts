import { readPreference, storePreference } from '../../../devicePreferences.ts'
import { workspaceId } from '../../../data/workspaces/workspace.ts'

const MAX_RECENT = 10
const MAX_LENGTH = 500

/** The latest searches in the workspace on this device, the latest first. */
export function recentSearches(): string[] {
  return readPreference('searches', String(workspaceId())).slice(0, MAX_RECENT)
}

/** Puts a search at the top of the list. */
export function recordSearch(query: string): void {
  const text = query.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_LENGTH)
  if (text) store([text, ...without(text)].slice(0, MAX_RECENT))
}

export function removeSearch(query: string): void {
  store(without(query))
}

export function clearSearches(): void {
  store([])
}

function without(query: string): string[] {
  return recentSearches().filter((one) => one.toLowerCase() !== query.toLowerCase())
}

function store(searches: readonly string[]): void {
  storePreference('searches', searches, String(workspaceId()))
}
