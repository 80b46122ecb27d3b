import { readPreference, storePreference } from '../../../devicePreferences.ts'
import { conversationIn, pathTo } from '../../../paths.ts'
import { addUse, type Use } from './learnedUses.ts'

/** Paths of the latest places. */
const MAX_PLACES = 30

/** What was opened with the palette on this device. */
export function storedUses(): Use[] {
  return readPreference('paletteUses').filter(isUse)
}

function isUse(value: object): value is Use {
  const use = value as Partial<Use>
  return (
    typeof use.key === 'string' &&
    typeof use.query === 'string' &&
    Number.isFinite(use.score) &&
    Number.isFinite(use.at)
  )
}

/** Records that an item was opened. */
export function recordUse(key: string, query: string): void {
  storePreference('paletteUses', addUse(storedUses(), key, query, Date.now()))
}

/** Paths of conversations and pages that were open on this device, the latest first. */
export function recentPlaces(): string[] {
  return readPreference('places').slice(0, MAX_PLACES)
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
    storePreference('places', [place, ...places.filter((one) => one !== place)].slice(0, MAX_PLACES))
}

/** Records places from now on. */
export function recordPlaces(): void {
  recordPlace()
  for (const event of ['pushState', 'replaceState', 'popstate']) addEventListener(event, recordPlace)
}
