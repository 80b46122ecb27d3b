import type { CheckCode } from '../wire/serverChecks.ts'

export type Theme = 'system' | 'light' | 'dark'
export type Contrast = 'system' | 'more'
export type Density = 'comfortable' | 'compact'

/** Of the size that the browser is set to. */
export type TextSize = '87.5%' | '100%' | '112.5%' | '125%'

export interface AppearanceSettings {
  theme: Theme
  contrast: Contrast
  density: Density
  textSize: TextSize
}

/** Settings of notifications of this browser. */
export interface NotificationSettings {
  /** Whether a notification plays a sound. */
  sound: boolean
  /** No notifications by the pages of this browser. */
  paused: boolean
  /** Notifications show no text of a message. The service worker follows this setting too. */
  hidesContent: boolean
  /** Whether the user has accepted or dismissed the offer of notifications, which is made once. */
  isOfferClosed: boolean
}

/** Widths that were chosen for panes beside the conversation, in rem; null: the default one. */
export interface PaneWidths {
  sidebar: number | null
  thread: number | null
}

/** How a preference is stored in this browser. */
interface Stored<T> {
  key: string
  /** The value of a stored text; the default one if nothing is stored, or something else. */
  parse: (text: string | null) => T
  format: (value: T) => string
}

const text = (key: string): Stored<string> => ({ key, parse: (stored) => stored ?? '', format: String })

function json<T>(key: string, parse: (stored: unknown) => T): Stored<T> {
  const parseText = (stored: string | null): T => {
    try {
      return parse(JSON.parse(stored ?? 'null'))
    } catch {
      return parse(null)
    }
  }
  return { key, parse: parseText, format: (value) => JSON.stringify(value) }
}

/** A value of a list, whose first one is the default. */
const oneOf =
  <T>(...values: readonly [T, ...T[]]) =>
  (stored: unknown): T =>
    values.find((value) => value === stored) ?? values[0]

const listOf =
  <T>(isItem: (item: unknown) => item is T) =>
  (stored: unknown): readonly T[] =>
    Array.isArray(stored) ? stored.filter(isItem) : []

const isString = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const withDefaults =
  <T extends object>(defaults: T) =>
  (stored: unknown): T => ({ ...defaults, ...(isObject(stored) ? stored : {}) })

/**
 * Preferences of this device, and what it remembers for the next visit. The account has the preferences that follow a person
 * to other devices. Only this module writes these keys. Signing out deletes all of them but the appearance and the language.
 */
export const PREFERENCES = {
  appearance: json(
    'linnet.theme',
    withDefaults<AppearanceSettings>({
      theme: 'system',
      contrast: 'system',
      density: 'comfortable',
      textSize: '100%',
    }),
  ),
  /** The language that was chosen on this device; empty: none. */
  language: text('linnet.language'),
  /** The language of the workspace that was joined on this device; empty: none. */
  joinedLanguage: text('linnet.language.joined'),
  notifications: json(
    'linnet.notifications',
    withDefaults<NotificationSettings>({
      sound: true,
      paused: false,
      hidesContent: false,
      isOfferClosed: false,
    }),
  ),
  /** Until when the reminder of each finding of the server is postponed, in ms since 1970. */
  postponedReminders: json('linnet.postponedReminders', withDefaults<{ [Code in CheckCode]?: number }>({})),
  /** How many rows of drafts, saved messages and tasks the sidebar had last. It keeps their place until they are loaded. */
  personalRows: json('linnet.personal-rows', (stored) => (typeof stored === 'number' ? stored : null)),
  /** Whether the user has joined a workspace, and may need a password or passkey to sign in again. */
  signInOffer: json('linnet.sign-in-offer', oneOf(false, true)),
  /** The default groups of the sidebar that are collapsed. The server stores the state of own sections. */
  collapsedGroups: {
    key: 'linnet.folded',
    parse: (stored) => (stored ?? '').split(' ').filter(Boolean),
    format: (groups) => groups.join(' '),
  } satisfies Stored<readonly string[]> as Stored<readonly string[]>,
  paneWidths: json('linnet.pane-widths', withDefaults<PaneWidths>({ sidebar: null, thread: null })),
  /** The skin tone of emoji: 0 is none, 1 to 5 are the tones of Unicode from light to dark. */
  skinTone: json('linnet.skin-tone', oneOf<0 | 1 | 2 | 3 | 4 | 5>(0, 1, 2, 3, 4, 5)),
  /** Whether fields of messages show Markdown as it is typed, instead of its formats. */
  markdownSource: json('linnet.markdown-source', oneOf(false, true)),
  playbackRate: json('linnet.playback-rate', oneOf(1, 1.5, 2)),
  /** Whether `:)` is sent as an emoji. */
  convertsEmoticons: json('linnet.emoticons', oneOf(false, true)),
  /** The latest emoji, the last one first. */
  usedEmoji: json('linnet.emoji', listOf(isString)),
  /** What was opened with the command palette. */
  paletteUses: json('linnet.palette', listOf(isObject)),
  /** Paths of the latest conversations and pages, the last one first. */
  places: json('linnet.places', listOf(isString)),
  /** The latest searches of a workspace, the last one first. */
  searches: json('linnet.searches', listOf(isString)),
  /** The conversation of a workspace that was open last; empty: none. */
  lastChannel: text('linnet.last-channel'),
}

type Preferences = { [N in keyof typeof PREFERENCES]: ReturnType<(typeof PREFERENCES)[N]['parse']> }

/** The same table, whose types depend on the name. */
const table: { [N in keyof Preferences]: Stored<Preferences[N]> } = PREFERENCES

/** The parsed values by key, with the texts from which they come. */
const parsed = new Map<string, { text: string | null; value: unknown }>()
const listeners = new Set<() => void>()

/** The stored text; undefined if the browser refuses storage. */
function readText(key: string): string | null | undefined {
  try {
    return localStorage.getItem(key)
  } catch {
    return undefined
  }
}

const keyOf = (name: keyof Preferences, workspace?: string): string =>
  workspace === undefined ? PREFERENCES[name].key : `${PREFERENCES[name].key}.${workspace}`

/** The value on this device, also of another tab. The same object until it changes. `workspace`: for a value of a workspace. */
export function readPreference<N extends keyof Preferences>(name: N, workspace?: string): Preferences[N] {
  const key = keyOf(name, workspace)
  const known = parsed.get(key)
  const stored = readText(key)
  if (known && (stored === undefined || known.text === stored)) return known.value as Preferences[N]
  const value = table[name].parse(stored ?? null)
  parsed.set(key, { text: stored ?? null, value })
  return value
}

/** Stores a value. Without storage it applies until the page is closed. Returns whether it is stored. */
export function storePreference<N extends keyof Preferences>(
  name: N,
  value: Preferences[N],
  workspace?: string,
): boolean {
  const key = keyOf(name, workspace)
  let isStored = true
  try {
    localStorage.setItem(key, table[name].format(value))
  } catch {
    isStored = false
  }
  parsed.set(key, { text: readText(key) ?? null, value })
  for (const listener of listeners) listener()
  return isStored
}

/** Calls a function after a preference may have changed, in this tab or another. Returns the function that ends this. */
export function watchPreferences(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}
