/** How often an item was opened with what was typed. */
export interface Use {
  key: string
  /** What was typed, folded; empty if the item was chosen from the list as it opens. */
  query: string
  /** Number of uses, of which each counts half after 14 days. */
  score: number
  /** Time of the last one, in ms. */
  at: number
}

export interface Learned {
  /** Uses of the item, with whatever was typed. */
  total: number
  /** Those with what is typed now, or a beginning or continuation of it. */
  forQuery: number
}

const HALF_LIFE_MS = 14 * 86_400_000
/** Pairs of item and query; those of the lowest score are dropped. */
const MAX_USES = 200
const MAX_QUERY = 40
/** From this score on, an item that was opened with a query is first for it: more than one recent use. */
const FIRST_FROM = 1.5

function scoreAt({ score, at }: Use, now: number): number {
  return score * 0.5 ** (Math.max(0, now - at) / HALF_LIFE_MS)
}

/** The uses with another one. */
export function addUse(uses: readonly Use[], key: string, query: string, now: number): Use[] {
  const typed = query.slice(0, MAX_QUERY)
  const before = uses.find((use) => use.key === key && use.query === typed)
  const score = 1 + (before ? scoreAt(before, now) : 0)
  return [...uses.filter((use) => use !== before), { key, query: typed, score, at: now }]
    .sort((a, b) => scoreAt(b, now) - scoreAt(a, now))
    .slice(0, MAX_USES)
}

/** What is learned about each item for a query. */
export function learnedFor(uses: readonly Use[], query: string, now: number): Map<string, Learned> {
  const typed = query.slice(0, MAX_QUERY)
  const learned = new Map<string, Learned>()
  for (const use of uses) {
    const score = scoreAt(use, now)
    const before = learned.get(use.key) ?? { total: 0, forQuery: 0 }
    const isForQuery =
      typed !== '' && use.query !== '' && (use.query.startsWith(typed) || typed.startsWith(use.query))
    learned.set(use.key, {
      total: before.total + score,
      forQuery: before.forQuery + (isForQuery ? score : 0),
    })
  }
  return learned
}

/** The items with the one first that is regularly opened with the query. */
export function putLearnedFirst<I extends { key: string }>(
  items: readonly I[],
  learned: ReadonlyMap<string, Learned>,
): I[] {
  const scoreOf = (item: I) => learned.get(item.key)?.forQuery ?? 0
  const best = items.reduce<I | undefined>(
    (one, item) => (one && scoreOf(one) >= scoreOf(item) ? one : item),
    undefined,
  )
  if (!best || scoreOf(best) < FIRST_FROM) return [...items]
  return [best, ...items.filter((item) => item !== best)]
}
