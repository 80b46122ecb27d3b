import type { SearchContent } from '../../../../wire/messages.ts'
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

/** English and German words for each operator, the one that is suggested in that language first. */
const NAMES: Record<Operator, { en: string[]; de: string[] }> = {
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

/** Values of `has:` and `is:` with their other names, the German one that is suggested first. */
const CONTENTS: Record<SearchContent, string[]> = {
  file: ['datei', 'files', 'dateien', 'attachment', 'anhang'],
  link: ['link', 'links'],
  image: ['bild', 'images', 'bilder', 'picture', 'photo', 'foto'],
  reaction: ['reaktion', 'reactions', 'reaktionen', 'emoji'],
  code: ['code'],
  poll: ['umfrage', 'polls', 'umfragen'],
}
const PLACES: Record<Place, string[]> = {
  thread: ['thread', 'threads', 'reply', 'antwort'],
  pinned: ['angepinnt', 'pin'],
  saved: ['gespeichert'],
}
const ME = new Set(['me', 'myself', 'mich', 'mir', 'ich'])

const operatorByName = new Map(
  OPERATORS.flatMap((operator) =>
    [...NAMES[operator].en, ...NAMES[operator].de].map((name): [string, Operator] => [
      foldText(name),
      operator,
    ]),
  ),
)

/** The operator with this name in English or German; null if there is none. */
export function findOperator(name: string): Operator | null {
  return operatorByName.get(foldText(name)) ?? null
}

/** The name of an operator as it is suggested. */
export function operatorName(operator: Operator, isGerman: boolean): string {
  const { en, de } = NAMES[operator]
  return (isGerman ? de[0] : en[0]) ?? operator
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
  return ME.has(foldText(value.replace(/^@/, '')))
}

/** The values that an operator has a fixed list of, as they are suggested; null for names and dates. */
export function valuesOf(operator: Operator, isGerman: boolean): string[] | null {
  const names = (values: Record<string, string[]>) =>
    Object.entries(values).map(([value, others]) => (isGerman ? (others[0] ?? value) : value))
  if (operator === 'has') return names(CONTENTS)
  if (operator === 'is') return names(PLACES)
  return operator === 'mentions' ? [isGerman ? 'mich' : 'me'] : null
}

function findValue<V extends string>(values: Record<V, string[]>, value: string): V | null {
  const folded = foldText(value)
  const entries = Object.entries(values) as [V, string[]][]
  return entries.find(([name, others]) => name === folded || others.includes(folded))?.[0] ?? null
}
