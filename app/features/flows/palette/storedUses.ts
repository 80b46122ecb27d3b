import { conversationIn, pathTo } from '../../../paths.ts'
import { addUse, type Use } from './learnedUses.ts'

const USES_KEY = 'linnet.palette'
const PLACES_KEY = 'linnet.places'
/** Paths of the latest places. */
const MAX_PLACES = 30

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '[]')
  } catch {
    return []
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Without storage nothing is learned.
  }
}

/** What was opened with the palette on this device. */
export function storedUses(): Use[] {
  const stored = read(USES_KEY)
  return Array.isArray(stored) ? stored.filter(isUse) : []
}

function isUse(value: unknown): value is Use {
  const use = value as Partial<Use> | null
  return (
    typeof use?.key === 'string' &&
    typeof use.query === 'string' &&
    Number.isFinite(use.score) &&
    Number.isFinite(use.at)
  )
}

/** Records that an item was opened. */
export function recordUse(key: string, query: string): void {
  write(USES_KEY, addUse(storedUses(), key, query, Date.now()))
}

/** Paths of conversations and pages that were open on this device, the latest first. */
export function recentPlaces(): string[] {
  const stored = read(PLACES_KEY)
  return Array.isArray(stored) ? stored.filter((path) => typeof path === 'string').slice(0, MAX_PLACES) : []
}

/** The conversation or page of a path: a message or thread is a part of its conversation. */
function placeOf(path: string): string {
  const { channelId } = conversationIn(path)
  return channelId === null ? path : pathTo('channel', { channelId })
}

function recordPlace(): void {
  const place = placeOf(location.pathname)
  const places = recentPlaces()
  if (places[0] !== place)
    write(PLACES_KEY, [place, ...places.filter((one) => one !== place)].slice(0, MAX_PLACES))
}

/** Records places from now on. */
export function recordPlaces(): void {
  recordPlace()
  for (const event of ['pushState', 'replaceState', 'popstate']) addEventListener(event, recordPlace)
}
