import type { InLanguages } from '../../../../wire/languages.ts'
import type { SearchContent } from '../../../../wire/messages.ts'
import { inLanguage } from '../../../ui/inLanguage.ts'
import { foldText } from '../../parts/matching/matchNames.ts'

/** Operators of a search: `from:`, `in:` and so on. */
export type Operator =
  | 'from'
  | 'in'
  | 'with'
  | 'before'
  | 'after'
  | 'on'
  | 'during'
  | 'has'
  | 'is'
  | 'mentions'

/** Words that are understood in every language of the interface. The first one is suggested in its language. */
type Words = InLanguages<readonly string[]>

const NAMES: Record<Operator, Words> = {
  from: { en: ['from'], de: ['von'] },
  in: { en: ['in'], de: ['in'] },
  with: { en: ['with'], de: ['mit'] },
  before: { en: ['before'], de: ['vor'] },
  after: { en: ['after'], de: ['nach'] },
  on: { en: ['on'], de: ['am'] },
  during: { en: ['during'], de: ['während', 'waehrend'] },
  has: { en: ['has'], de: ['hat'] },
  is: { en: ['is'], de: ['ist'] },
  mentions: { en: ['mentions'], de: ['erwähnt', 'erwaehnt'] },
}

export const OPERATORS = Object.keys(NAMES) as Operator[]

/** Operators that can be excluded; of `is:` not `is:saved`. */
const EXCLUDABLE: ReadonlySet<Operator> = new Set<Operator>(['from', 'in', 'has', 'is'])

type Place = 'thread' | 'pinned' | 'saved'

const CONTENTS: Record<SearchContent, Words> = {
  file: { en: ['file', 'files', 'attachment'], de: ['datei', 'dateien', 'anhang'] },
  link: { en: ['link', 'links'] },
  image: { en: ['image', 'images', 'picture', 'photo'], de: ['bild', 'bilder', 'foto'] },
  reaction: { en: ['reaction', 'reactions', 'emoji'], de: ['reaktion', 'reaktionen'] },
  code: { en: ['code'] },
  poll: { en: ['poll', 'polls'], de: ['umfrage', 'umfragen'] },
}
const PLACES: Record<Place, Words> = {
  thread: { en: ['thread', 'threads', 'reply'], de: ['thread', 'antwort'] },
  pinned: { en: ['pinned', 'pin'], de: ['angepinnt'] },
  saved: { en: ['saved'], de: ['gespeichert'] },
}
const ME: Words = { en: ['me', 'myself'], de: ['mir', 'mich', 'ich'] }
const MENTIONED: Words = { en: ['me'], de: ['mich'] }

const allWords = (words: Words): readonly string[] => Object.values(words).flat()
const suggested = (words: Words): string => inLanguage(words)[0] ?? ''

const operatorByName = new Map(
  OPERATORS.flatMap((operator) =>
    allWords(NAMES[operator]).map((name): [string, Operator] => [foldText(name), operator]),
  ),
)

/** The operator with this name in any language; null if there is none. */
export function findOperator(name: string): Operator | null {
  return operatorByName.get(foldText(name)) ?? null
}

/** The name of an operator as it is suggested. */
export function operatorName(operator: Operator): string {
  return suggested(NAMES[operator])
}

/** The word for the reader as it is suggested. */
export function ownName(): string {
  return suggested(ME)
}

export function findContent(value: string): SearchContent | null {
  return findValue(CONTENTS, value)
}

export function findPlace(value: string): Place | null {
  return findValue(PLACES, value)
}

/** Whether `-operator:value` can exclude messages; without a value, whether any can. */
export function isExcludable(operator: Operator, value = ''): boolean {
  return EXCLUDABLE.has(operator) && !(operator === 'is' && findPlace(value) === 'saved')
}

/** Whether a value means the reader: "me". */
export function isMe(value: string): boolean {
  return allWords(ME).includes(foldText(value.replace(/^@/, '')))
}

/** The values that an operator has a fixed list of, as they are suggested; null for names and dates. */
export function valuesOf(operator: Operator): string[] | null {
  if (operator === 'has') return Object.values(CONTENTS).map(suggested)
  if (operator === 'is') return Object.values(PLACES).map(suggested)
  return operator === 'mentions' ? [suggested(MENTIONED)] : null
}

function findValue<V extends string>(values: Record<V, Words>, value: string): V | null {
  const folded = foldText(value)
  const entries = Object.entries(values) as [V, Words][]
  return entries.find(([, words]) => allWords(words).includes(folded))?.[0] ?? null
}
