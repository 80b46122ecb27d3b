import type { Marked } from './tree.ts'

/** A run of equal signs that may begin or end a mark. */
export interface Mark {
  type: 'mark'
  sign: '*' | '_' | '~' | '|'
  /** 1 to 3 signs. */
  count: number
  canOpen: boolean
  canClose: boolean
  /** Number of backslashes before it. An odd number makes it text. */
  slashes: number
  /** Index of its first sign in the text. */
  at: number
  /** Whether it formats, or would without its backslash. Only then the backslash is removed. */
  isActive: boolean
  /** Signs that are part of no pair: text. */
  left: number
  /** What begins here, the outer one first. */
  opens: Marked['type'][]
  /** What ends here, the inner one first. */
  closes: Marked['type'][]
}

/** Pairs the marks of a text, each end with the nearest fitting beginning, in linear time. */
export function pairMarks(marks: readonly Mark[]): void {
  if (marks.some(({ slashes }) => slashes % 2 === 1)) {
    pair(marks)
    for (const mark of marks) {
      mark.isActive = mark.left < mark.count
      Object.assign(mark, { left: mark.count, opens: [], closes: [] })
    }
    for (const mark of marks) if (mark.slashes % 2 === 0) mark.isActive = false
  }
  pair(marks.filter(({ slashes }) => slashes % 2 === 0))
  for (const mark of marks) if (mark.left < mark.count) mark.isActive = true
}

function pair(marks: readonly Mark[]): void {
  const open: Mark[] = []
  /** How many of the open marks have this sign, and so many signs left. */
  const counts = new Map<string, number>()
  const count = ({ sign, left }: Mark, by: number): void => {
    counts.set(sign + left, (counts.get(sign + left) ?? 0) + by)
  }
  for (const mark of marks) {
    while (mark.canClose && mark.left > 0 && fitting(mark.left).some((n) => counts.get(mark.sign + n))) {
      let opener = open.pop()!
      count(opener, -1)
      while (opener.sign !== mark.sign || !fitting(mark.left).includes(opener.left)) {
        opener = open.pop()!
        count(opener, -1)
      }
      const used = Math.min(opener.left, mark.left)
      for (const type of typesOf(mark.sign, used)) {
        opener.opens.unshift(type)
        mark.closes.push(type)
      }
      opener.left -= used
      mark.left -= used
      if (opener.left > 0) {
        open.push(opener)
        count(opener, 1)
      }
    }
    if (mark.canOpen && mark.left > 0) {
      open.push(mark)
      count(mark, 1)
    }
  }
}

/** The numbers of signs that a beginning may have for an end with so many. */
function fitting(count: number): readonly number[] {
  return FITTING[count - 1]!
}

const FITTING = [
  [1, 3],
  [2, 3],
  [1, 2, 3],
] as const satisfies readonly number[][]

/** What a pair of so many signs means, the inner one first. */
function typesOf(sign: Mark['sign'], count: number): Marked['type'][] {
  if (sign === '~') return ['strikethrough']
  if (sign === '|') return ['spoiler']
  return count === 3 ? ['strong', 'emphasis'] : [count === 2 ? 'strong' : 'emphasis']
}
