import type { Commands } from '../../wire/commands.ts'
import type { SearchFilters } from '../../wire/messages.ts'
import { hasTerm } from './createText.ts'
import type { Person, SearchWorkspace, StoredMessage } from './fillWorkspace.ts'

export interface Query {
  query: string
  filters?: SearchFilters
  /** Whether a message matches, whoever reads it. */
  matches: (message: StoredMessage) => boolean
}

/** The arguments of `search_messages`. */
export const argsOf = (
  workspace: SearchWorkspace,
  { query, filters }: Query,
  more: { before?: string | null; limit?: number } = {},
): Commands['search_messages']['args'] => ({
  workspace: workspace.id,
  query,
  ...(filters && { filters }),
  ...more,
})

/** Kinds of queries, each creates the n-th query of its kind. */
export function createQueries(workspace: SearchWorkspace, random: () => number): Record<string, () => Query> {
  const { vocabulary, messages, people, channels } = workspace
  const word = (from: number, to: number): string => vocabulary[from + Math.floor(random() * (to - from))]!
  const anyMessage = (): StoredMessage => messages[Math.floor(random() * messages.length)]!
  const words = (...terms: string[]): Query => ({
    query: terms.join(' '),
    matches: (message) => terms.every((term) => hasTerm(message.folded, term)),
  })
  const filtered = (query: Query, filters: SearchFilters, matches: Query['matches']): Query => ({
    query: query.query,
    filters,
    matches: (message) => matches(message) && query.matches(message),
  })
  const everything: Query = { query: '', matches: () => true }
  const phrase = (): Query => {
    for (;;) {
      const parts = anyMessage()
        .folded.trim()
        .split(' ')
        .filter((part) => !['https', 'code', 'example'].includes(part))
      if (parts.length < 4) continue
      const text = parts.slice(1, 3).join(' ')
      return { query: `"${text}"`, matches: (message) => hasTerm(message.folded, text, true) }
    }
  }
  const middle = () => words(word(20, 400))
  const author = () => Math.floor(random() ** 2 * 38)
  const someTime = () => anyMessage().at
  const iso = (at: number) =>
    `${new Date(Math.floor(at / 1000)).toISOString().slice(0, 23)}${String(at % 1000).padStart(3, '0')}Z`
  return {
    'rare word': () => words(word(10_000, 20_000)),
    'word of medium frequency': () => words(word(1000, 3000)),
    'common word': middle,
    'very common word': () => words(word(0, 8)),
    'one letter': () => words('bcdfghklmnprstv'[Math.floor(random() * 15)]!),
    'two common words': () => words(word(0, 60), word(0, 60)),
    'letter and rare word': () => words('bcdfghklmnprstv'[Math.floor(random() * 15)]!, word(10_000, 20_000)),
    phrase,
    'absent word': () => words(`zzq${word(0, 20_000)}`),
    'excluded word': () => {
      const [wanted, excluded] = [word(20, 400), word(0, 20)]
      return {
        query: `${wanted} -${excluded}`,
        matches: ({ folded }) => hasTerm(folded, wanted) && !hasTerm(folded, excluded, true),
      }
    },
    from: () => {
      const n = author()
      return filtered(middle(), { from: [people[n]!.profile] }, (message) => message.author === n)
    },
    'from alone': () => {
      const n = author()
      return filtered(everything, { from: [people[n]!.profile] }, (message) => message.author === n)
    },
    'in a channel': () => {
      const n = Math.floor(random() * 50) * 10
      return filtered(words(word(0, 3000)), { in: [channels[n]!] }, (message) => message.channel === n)
    },
    'common word in a small channel': () => {
      const n = 400 + Math.floor(random() * 10) * 10
      return filtered(words(word(0, 60)), { in: [channels[n]!] }, (message) => message.channel === n)
    },
    before: () => {
      const at = someTime()
      return filtered(middle(), { before: iso(at) }, (message) => message.at < at)
    },
    after: () => {
      const at = someTime()
      return filtered(middle(), { after: iso(at) }, (message) => message.at >= at)
    },
    'has:link': () => filtered(middle(), { has: ['link'] }, ({ marks }) => marks.has('link')),
    'has:code alone': () => filtered(everything, { has: ['code'] }, ({ marks }) => marks.has('code')),
    'has:image': () => filtered(middle(), { has: ['image', 'file'] }, ({ marks }) => marks.has('file')),
    'has:reaction': () => filtered(middle(), { has: ['reaction'] }, ({ marks }) => marks.has('reaction')),
    'is:pinned': () => filtered(everything, { is: ['pinned'] }, ({ marks }) => marks.has('pinned')),
  }
}

/** Only for the reader: the others are not mentioned. */
export const mentionsMe: Query = {
  query: '',
  filters: { mentions_me: true },
  matches: ({ marks, author }) => marks.has('mention') && author !== 0,
}

/** A word that the reader may find, with one character omitted, replaced, doubled or exchanged with the next. */
export function createTypingError(
  workspace: SearchWorkspace,
  random: () => number,
): { query: Query; meant: string } {
  const readable = (meant: string): boolean =>
    workspace.messages.some(
      (message) => canRead(workspace.people[0]!, message) && hasTerm(message.folded, meant, true),
    )
  let meant: string
  do meant = workspace.vocabulary[Math.floor(random() * 3000)]!
  while (!/^[a-z]{5,}$/.test(meant) || !readable(meant))
  const at = 1 + Math.floor(random() * (meant.length - 2))
  const [start, one, next, end] = [meant.slice(0, at), meant[at]!, meant[at + 1]!, meant.slice(at + 2)]
  const query = [
    start + next + end,
    `${start}x${next}${end}`,
    start + one + one + next + end,
    start + next + one + end,
  ][Math.floor(random() * 4)]!
  return { query: { query, matches: ({ folded }) => hasTerm(folded, meant) }, meant }
}

/** Whether a person may read a message, as the policy of messages decides. */
export const canRead = (person: Person, message: StoredMessage): boolean =>
  message.seq >= (person.reads.get(message.channel) ?? Infinity)

/** All that a person would find, the newest first. */
export function findAll(workspace: SearchWorkspace, person: Person, query: Query, max: number): string[] {
  const found: StoredMessage[] = []
  // Later messages are newer.
  for (let n = workspace.messages.length - 1; n >= 0 && found.length < max; n -= 1) {
    const message = workspace.messages[n]!
    if (canRead(person, message) && query.matches(message)) found.push(message)
  }
  return found.map((message) => message.id)
}
