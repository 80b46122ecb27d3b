import { workspaceId } from '../../../data/workspaces/workspace.ts'

/** They name channels and people of their workspace. */
const keyOf = () => `linnet.searches.${workspaceId()}`
const MAX_RECENT = 10
const MAX_LENGTH = 500

/** The latest searches in the workspace on this device, the latest first. */
export function recentSearches(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string').slice(0, MAX_RECENT) : []
  } catch {
    return []
  }
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
  try {
    localStorage.setItem(keyOf(), JSON.stringify(searches))
  } catch {
    // Without storage there are no recent searches.
  }
}
